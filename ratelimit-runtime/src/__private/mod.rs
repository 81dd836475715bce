//! All that generated code may call. No part of the public interface: it changes with the macro, in lockstep.

mod call;
mod check;
mod hold;
pub mod limit;
mod probe;

pub use call::{Call, Calls, Site};
pub use check::Check;
pub use hold::{Held, Hold, judge};
pub use probe::{
    Argument, Element, ElementDisplay, ElementIdentity, ElementOther, FoundAddress, Merge, NoAddress,
    ProbeAddress, ProbeClientIp, ProbeOther, Way,
};

use crate::rejection::Rejection;

/// What `on_limit` makes of a rejection. The signature is what lets a closure go without types.
pub fn on_limit<R>(make: impl FnOnce(Rejection) -> R, rejection: Rejection) -> R {
    make(rejection)
}

//! All that generated code may call. No part of the public interface: it changes with the macro, in lockstep.

mod call;
mod check;
mod element;
mod hold;
pub mod limit;
mod probe;
mod report;
mod request;
mod warn;

pub use call::{Call, Calls, Site};
pub use check::Check;
pub use element::{Element, ElementDisplay, ElementIdentity, ElementOther, ElementUser, Way};
pub use hold::{Held, Hold, judge};
pub use probe::{Argument, FoundAddress, Merge, NoAddress, ProbeAddress, ProbeClientIp, ProbeOther};
pub use request::{
    FoundHeaders, FoundUser, MergeHeaders, MergeUser, Nothing, ProbeHeaders, ProbeNoHeaders, ProbeNoUser,
    ProbeUser,
};
pub use warn::{ArgumentOf, NoRequest, OfRequest, OfUser, RequestArgument};

pub use std::boxed::Box;

use crate::rejection::Rejection;

/// What `on_limit` makes of a rejection. The signature is what lets a closure go without types.
pub fn on_limit<R>(make: impl FnOnce(Rejection) -> R, rejection: Rejection) -> R {
    make(rejection)
}

/// The future that a body makes. The signature says that it is called once: so it may give away what it holds.
pub fn once<F>(body: impl FnOnce() -> F) -> F {
    body()
}

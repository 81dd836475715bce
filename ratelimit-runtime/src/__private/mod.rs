//! All that generated code may call. No part of the public interface: it changes with the macro, in lockstep.

mod call;
pub mod limit;
mod probe;

pub use call::{Call, Check, Site};
pub use probe::{
    Argument, Element, Merge, NoAddress, ProbeAddress, ProbeClientIp, ProbeOther, WriteDisplay,
    WriteIdentity, WriteNothing, address,
};

use crate::rejection::{FromRejection, Rejection};

/// What a refused call of a function that returns `R` returns.
pub fn reject<R: FromRejection>(rejection: Rejection) -> R {
    R::from_rejection(rejection)
}

/// What `on_limit` makes of a rejection. The signature is what lets a closure go without types.
pub fn on_limit<R>(make: impl FnOnce(Rejection) -> R, rejection: Rejection) -> R {
    make(rejection)
}

//! The items that generated code uses. They are not part of the public interface, and change with the macro.

mod address;
mod admission;
mod call;
mod check;
mod key_part;
pub mod limit;
mod probe;
mod request;
mod warn;

pub use address::{FoundAddress, MergeAddress, ProbeAddress};
pub use admission::{Admission, Admit, judge};
pub use call::{Call, Calls, Site};
pub use check::Check;
pub use key_part::{KeyPart, ProbeKeyPart, Way};
pub use probe::{Argument, Nothing};
pub use request::{FoundHeaders, FoundUser, MergeHeaders, MergeUser, ProbeHeaders, ProbeUser};
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

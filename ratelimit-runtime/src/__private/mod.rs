//! Items for generated code. They are not part of the public interface and change with the macro.
//!
//! Generated code also uses the public types of limits. The macro crate and the runtime are released together, so these items may
//! change in any release.

mod address;
mod admission;
mod call;
mod check;
mod key_part;
mod later;
pub mod limit;
mod probe;
mod refusal;
mod request;
mod site;
mod target;
mod units;
mod warn;

pub use address::{
    Client, FoundAddress, KeptAddress, MakeAgain, MergeAddress, OnlyPart, PassAddress, ProbeAddress,
    RequestPeer, TrustedAddress,
};
pub use admission::{Admission, Admit, Calls, cost_on_end, judge};
pub use call::Call;
pub use check::Check;
pub use key_part::{KeyPart, ProbeKeyPart, Way};
pub use later::Later;
pub use probe::{Argument, Nothing};
pub use refusal::{
    AsBoxedError, AsBytes, AsError, AsHead, AsText, BoxedError, ProbeRefusal, ResponseOrRejection, Unknown,
};
pub use request::{FoundHeaders, FoundUser, MergeHeaders, MergeUser, ProbeHeaders, ProbeUser};
pub use site::{Known, Site};
pub use target::{
    FoundBody, FoundTarget, FoundTargetOfMethod, MergeTarget, MethodOrRejection, ProbeTarget,
    RejectionTarget, Target, TupleOrRejection, Written,
};
pub use units::{ProbeUnits, Units, UnitsOf, ZeroCosts, units};
#[allow(unused_imports, reason = "some frameworks have no traits of extractors")]
pub(crate) use warn::callers;
pub use warn::{
    ArgumentOf, Cache, NoStream, OfClients, OfNobody, OfStream, OfUsers, OpaqueStream, ProbeCallers,
    RequestArgument, ReturnOf, Subscription, Upgrade,
};

pub use crate::body::held_stream::HeldStream;
pub use crate::body::hold_body::{HoldStream, StreamingResponse};
pub use crate::learn::{NO_CLASS, class_of};
pub use crate::rejection::convert::ErrorOfRejection;
pub use std::boxed::Box;

use crate::rejection::Rejection;

/// Calls the closure of `on_limit` with a rejection. This signature lets the closure omit its parameter type.
pub fn on_limit<R>(closure: impl FnOnce(Rejection) -> R, rejection: Rejection) -> R {
    closure(rejection)
}

/// Calls the closure that makes the future of a function's body. This signature makes the closure an `FnOnce`, so it can move
/// its captured values.
pub fn once<F>(body: impl FnOnce() -> F) -> F {
    body()
}

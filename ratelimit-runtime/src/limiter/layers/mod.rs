//! The layers of a decision. A layer knows its own state and the layer below it:
//!
//! ```text
//! Policy          what is decided if the store fails
//!   Leases        units that this process has taken in advance
//!     Refusals    refusals that this process remembers
//!       Deadline  the store, and the time within which it must reply
//! ```
//!
//! Each layer has a method `decide`. It passes decisions that are ready to `then`, so that they need not be copied. Otherwise it
//! returns a future that owns what it needs: that of each layer contains that of the layer below, and the outermost one is boxed.

#![expect(clippy::result_large_err, reason = "the uppermost layer boxes it, once for all layers")]

mod deadline;
mod decided;
mod deny_cache;
mod lease;
mod outage;
mod policy;
mod refusals;

pub(super) use deadline::{Asked, Deadline};
pub(super) use decided::{Decided, invalid_reply, longest_refusal};
pub(super) use lease::Leases;
pub(super) use outage::Outage;
pub use policy::OnError;
pub(super) use policy::{Policy, admitted};
pub(super) use refusals::{Refusals, Remembered};

use crate::decision::Decision;
use crate::error::Error;
use crate::store::{Mode, Request};
use tokio::time::Instant;

/// A stack of requests that is to be decided.
#[derive(Clone, Copy)]
pub(super) struct Ask<'r> {
    /// The time at which the call began, if it has already waited. `None`: its deadline begins when the store is asked.
    pub(super) began: Option<Instant>,
    pub(super) mode: Mode,
    pub(super) requests: &'r [&'r Request],
}

/// Where decisions that are ready come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The store has decided just now.
    Store,
    /// This process knows the decision from an earlier reply: from leased units, or from a remembered refusal.
    Known,
}

/// The decisions of a layer.
pub(super) type Ready<'d> = Result<(Origin, &'d [Decision]), Error>;

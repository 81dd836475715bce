//! The limits of one call that are decided together.

use crate::decision::Decision;
use crate::store::Request;
use smallvec::SmallVec;

/// The limits of a call, in the order in which they are written.
pub(crate) type Stack = SmallVec<[Member; 1]>;

/// One limit of a call: what the store is asked, and what the call has taken.
pub(crate) struct Member {
    pub(crate) request: Request,
    /// Before the call the units are only looked at. They are taken after it.
    pub(crate) charge_after: bool,
    /// The limit never refuses.
    pub(crate) shadow: bool,
    /// `None` until the store has decided, for a limit that was only looked at, and for a permit that is to be returned
    /// at once.
    pub(super) decision: Option<Decision>,
    /// Nothing was taken, and nothing will be.
    pub(super) inactive: bool,
}

impl Member {
    /// A limit that is charged before the call.
    pub(crate) fn new(request: Request) -> Self {
        Self { request, charge_after: false, shadow: false, decision: None, inactive: false }
    }

    /// Whether the limit is charged before the call, and may refuse it.
    pub(crate) fn is_charged(&self) -> bool {
        !self.charge_after && !self.shadow
    }

    /// Whether the units are taken at once and stay taken.
    pub(crate) fn is_plain(&self) -> bool {
        self.is_charged() && !self.is_permit() && self.request.limit().wait_ms() == 0
    }

    /// Whether a permit is held.
    pub(super) fn is_permit(&self) -> bool {
        self.request.limit().is_concurrency()
    }
}

/// Makes a stack of requests: each passes only together with the next one.
pub(crate) fn join<'r>(requests: impl DoubleEndedIterator<Item = &'r mut Request>) {
    for request in requests.rev().skip(1) {
        request.join_next();
    }
}

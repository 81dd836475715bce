//! The limits of one call that are decided together.

use crate::decision::{Decision, Source};
use crate::limiter::RateLimiter;
use crate::limiter::permits::Stage;
use crate::observe::{LimitMetrics, PermitsHeld};
use crate::store::Request;
use smallvec::SmallVec;

/// The limits of a call, in the order in which they are written.
pub(crate) type Stack = SmallVec<[Member; 1]>;

/// One limit of a call: the request to the store, and what the call has taken.
pub(crate) struct Member {
    pub(crate) request: Request,
    /// The position of the limit among those of its attribute.
    pub(crate) position: usize,
    /// The limit never refuses.
    pub(crate) shadow: bool,
    /// Results of calls may pause the limit.
    pub(crate) pauses: bool,
    /// The store's decision. `None` if the store has not decided.
    pub(super) decision: Option<Decision>,
    /// Nothing is taken: a shadow limit would refuse the call, or was not decided.
    pub(super) takes_nothing: bool,
    /// The measurements of the limit.
    pub(crate) series: &'static LimitMetrics,
    /// Counts the permit while it is held.
    pub(super) held: PermitsHeld,
}

impl Member {
    /// A limit of this name that may refuse the call.
    pub(crate) fn new(request: Request, name: &str) -> Self {
        Self {
            request,
            position: 0,
            shadow: false,
            pauses: false,
            decision: None,
            takes_nothing: false,
            series: LimitMetrics::named(name),
            held: PermitsHeld::default(),
        }
    }

    /// Whether [`Mode::Check`](crate::store::Mode::Check) decides the limit: its units are taken at once, and are never
    /// returned.
    pub(crate) fn is_only_checked(&self) -> bool {
        !self.shadow && self.request.limit().is_charged_at_once()
    }

    /// Whether the limit can pause. An override may have replaced it by a log, whose state has no place for a gate.
    pub(crate) fn has_gate(&self) -> bool {
        self.request.limit().algorithm().check_takes_block().is_ok()
    }

    /// Whether the limit is a concurrency limit, whose units are permits.
    pub(crate) fn is_permit(&self) -> bool {
        self.request.limit().is_concurrency()
    }

    /// Whether calls wait for permits of the limit.
    pub(super) fn waits_for_permits(&self) -> bool {
        self.is_permit() && self.request.limit().wait_ms() > 0
    }

    /// Returns the permit, if the limit gives permits.
    pub(super) fn release(&self, limiter: &RateLimiter, source: Source, stage: Stage) {
        if self.is_permit() {
            limiter.shared.permits.release(limiter, source, &self.request, stage);
        }
    }
}

/// Makes a stack of requests: each passes only together with the next one.
pub(crate) fn join<'r>(requests: impl DoubleEndedIterator<Item = &'r mut Request>) {
    for request in requests.rev().skip(1) {
        request.join_next();
    }
}

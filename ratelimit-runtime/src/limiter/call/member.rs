//! `Member`: one limit of a call. The limits of a call that are decided together are a `Stack`.

use crate::decision::{Decision, Source};
use crate::learn::Estimate;
use crate::limiter::RateLimiter;
use crate::limiter::permits::Stage;
use crate::observe::{LimitMetrics, PermitsHeld, registry};
use crate::store::Request;
use smallvec::SmallVec;

/// The limits of a call, in the order in which they are written in the code.
pub(crate) type Stack = SmallVec<[Member; 1]>;

/// One limit of a call: its request to the store, and whether the call has taken units.
pub(crate) struct Member {
    pub(crate) request: Request,
    /// The position of the limit among the limits of its attribute.
    pub(crate) position: usize,
    /// Whether this is a shadow limit, which never refuses.
    pub(crate) shadow: bool,
    /// Whether results of calls may pause the limit.
    pub(crate) pauses: bool,
    /// The estimate that is charged, until the call begins. `None` if the cost of the call is no estimate.
    pub(crate) estimate: Option<Estimate>,
    /// The store's decision. `None` if the store has not decided.
    pub(super) decision: Option<Decision>,
    /// Whether the call takes nothing from this limit. This is so for a shadow limit that would refuse the call, or that was
    /// not decided.
    pub(super) takes_nothing: bool,
    /// The measurements of the limit.
    pub(crate) series: &'static LimitMetrics,
    /// The name of the limit, as metrics and log lines show it.
    pub(super) shown_name: &'static str,
    /// Counts the permit in the metrics while it is held.
    pub(super) held: PermitsHeld,
}

impl Member {
    /// Creates a member for a limit with this name that may refuse the call.
    pub(crate) fn new(request: Request, name: &str) -> Self {
        Self {
            request,
            position: 0,
            shadow: false,
            pauses: false,
            estimate: None,
            decision: None,
            takes_nothing: false,
            series: LimitMetrics::named(name),
            shown_name: registry::named(name).name(),
            held: PermitsHeld::default(),
        }
    }

    /// Whether [`Mode::Check`](crate::store::Mode::Check) suffices for the limit: it is not a shadow limit, and its units are
    /// taken at once and never returned.
    pub(crate) fn is_only_checked(&self) -> bool {
        !self.shadow && self.request.limit().is_charged_at_once()
    }

    /// Whether the limit can pause. An override may have replaced the limit with a sliding log, whose state has no place for a
    /// pause.
    pub(crate) fn has_gate(&self) -> bool {
        self.request.limit().has_gate()
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

/// Joins requests to a stack: a request passes only if the next request passes too. So all of them pass, or none.
pub(crate) fn join<'r>(requests: impl DoubleEndedIterator<Item = &'r mut Request>) {
    for request in requests.rev().skip(1) {
        request.join_next();
    }
}

//! `Record`: notes the decisions of a call in the request context, from which a middleware makes header fields.

use crate::context::{RecordedDecision, RequestContext};
use crate::decision::Decision;
use crate::key::{LimitName, Name};
use crate::limit::Limit;
use crate::store::Request;
use smallvec::SmallVec;

/// The limits of a call that a request makes, until they are decided.
pub(super) struct Record {
    context: RequestContext,
    limits: SmallVec<[Undecided; 1]>,
}

struct Undecided {
    name: LimitName,
    limit: Limit,
    cost: u32,
}

impl Record {
    /// Notes the limits that may refuse a call, each with its name. `None` outside a request, where nobody reads the decisions.
    #[inline]
    pub(super) fn of<'r>(limits: impl Iterator<Item = (Name<'r>, &'r Request)> + Clone) -> Option<Self> {
        if !limits.clone().next().is_some_and(|(name, _)| name.is_recorded()) {
            return None;
        }
        RequestContext::current().map(|context| Self::within(context, limits))
    }

    /// Few calls have a context, and this is long.
    #[inline(never)]
    fn within<'r>(context: RequestContext, limits: impl Iterator<Item = (Name<'r>, &'r Request)>) -> Self {
        let limits = limits.map(|(name, request)| Undecided {
            name: name.into(),
            limit: *request.limit(),
            cost: request.cost(),
        });
        Self { context, limits: limits.collect() }
    }

    /// Records the decisions, one for each of the limits.
    pub(super) fn decided(self, decisions: impl Iterator<Item = Decision>) -> Noted {
        let recorded = self.limits.into_iter().zip(decisions);
        let recorded = recorded.map(|(Undecided { name, limit, cost }, decision)| RecordedDecision {
            name,
            limit,
            cost,
            decision,
        });
        let first = self.context.record(recorded);
        Noted { context: self.context, first }
    }
}

/// Where the decisions of a call are recorded.
pub(super) struct Noted {
    context: RequestContext,
    /// The number of the first decision.
    first: usize,
}

impl Noted {
    /// Changes the recorded decision of a limit, which has this position among those that may refuse the call.
    pub(super) fn change(&self, at: usize, change: impl FnOnce(&mut RecordedDecision)) {
        self.context.change_record(self.first + at, change);
    }
}

//! `Record`: notes the decisions of a call in the request context. A middleware makes header fields from them.

use crate::context::{RecordedDecision, RequestContext};
use crate::decision::{Decision, PackedDecision};
use crate::key::{LimitName, Name};
use crate::limit::Limit;
use crate::store::Request;
use smallvec::SmallVec;

/// The limits of a call that is made for a web request, until they are decided.
pub(super) struct Record {
    context: RequestContext,
    limits: SmallVec<[Undecided; 1]>,
}

struct Undecided {
    at: usize,
    name: LimitName,
    limit: Limit,
    cost: u32,
    key: u64,
}

impl Record {
    /// Notes the limits of requests. Each request comes with its position in the stack, which is also the position of its name.
    /// Returns `None` outside a web request, where nobody reads the decisions.
    #[inline]
    pub(super) fn of<'r>(
        names: &[Name<'_>],
        requests: impl Iterator<Item = (usize, &'r Request)>,
    ) -> Option<Self> {
        if !names.first().is_some_and(Name::is_recorded) {
            return None;
        }
        RequestContext::current().map(|context| Self::within(context, names, requests))
    }

    /// Records the decision of a call with one limit, if the call is made for a web request. `key` is a hash of its key.
    #[inline]
    pub(super) fn at_once(name: Name<'_>, limit: &Limit, cost: u32, key: u64, decision: PackedDecision) {
        if let Some(context) = RequestContext::current() {
            let decision = decision.decision(limit);
            let recorded = RecordedDecision { name: name.into(), limit: *limit, cost, decision, key };
            context.record(std::iter::once(recorded));
        }
    }

    /// Whether [`of`](Self::of) returns a record.
    #[inline]
    pub(super) fn is_wanted(names: &[Name<'_>]) -> bool {
        names.first().is_some_and(Name::is_recorded) && RequestContext::current().is_some()
    }

    /// The rest of `of`. It is not inlined, because it is long and few calls have a context.
    #[inline(never)]
    fn within<'r>(
        context: RequestContext,
        names: &[Name<'_>],
        requests: impl Iterator<Item = (usize, &'r Request)>,
    ) -> Self {
        let limits = requests.map(|(at, request)| Undecided {
            at,
            name: names[at].into(),
            limit: *request.limit(),
            cost: request.cost(),
            key: request.key().hash(),
        });
        Self { context, limits: limits.collect() }
    }

    /// Records the decisions, one for each limit.
    pub(super) fn decided(self, decisions: impl Iterator<Item = Decision>) -> Noted {
        let positions = self.limits.iter().map(|limit| limit.at).collect();
        let recorded = self.limits.into_iter().zip(decisions);
        let recorded = recorded.map(|(Undecided { name, limit, cost, key, .. }, decision)| {
            RecordedDecision { name, limit, cost, decision, key }
        });
        let first = self.context.record(recorded);
        Noted { context: self.context, first, positions }
    }
}

/// The decisions of a call that were recorded in the request context.
pub(super) struct Noted {
    context: RequestContext,
    /// The serial number of the first of these decisions in the context.
    first: usize,
    /// The position in the stack, for each recorded limit.
    positions: SmallVec<[usize; 1]>,
}

impl Noted {
    /// Changes the recorded decision of the limit at this position in the stack.
    pub(super) fn change(&self, at: usize, change: impl FnOnce(&mut RecordedDecision)) {
        if let Some(offset) = self.positions.iter().position(|position| *position == at) {
            self.context.change_record(self.first + offset, change);
        }
    }
}

//! `Record`: notes the decisions of a call in the request context, from which a middleware makes header fields.

use crate::context::{Recorded, RequestContext};
use crate::decision::Decision;
use crate::key::Name;
use crate::limit::Limit;
use crate::store::Request;
use smallvec::SmallVec;

/// The limits of a call that a request makes, until they are decided.
pub(super) struct Record {
    context: RequestContext,
    limits: SmallVec<[Decided; 1]>,
}

struct Decided {
    at: usize,
    name: Name<'static>,
    limit: Limit,
    cost: u32,
}

impl Record {
    /// Notes the limits, each with its position in the stack. `None` outside a request, where nobody reads the decisions.
    pub(super) fn of<'r>(
        requests: impl Iterator<Item = (usize, Name<'static>, &'r Request)>,
    ) -> Option<Box<Self>> {
        let context = RequestContext::current()?;
        let limits = requests.map(|(at, name, request)| Decided {
            at,
            name,
            limit: *request.limit(),
            cost: request.cost(),
        });
        Some(Box::new(Self { context, limits: limits.collect() }))
    }

    /// Records the decisions, each with the position of its limit in the stack.
    pub(super) fn decided(self, decisions: impl Iterator<Item = (usize, Decision)>) {
        let decisions: SmallVec<[(usize, Decision); 1]> = decisions.collect();
        self.context.record(self.limits.into_iter().filter_map(|Decided { at, name, limit, cost }| {
            let (_, decision) = decisions.iter().find(|(decided, _)| *decided == at)?;
            Some(Recorded { name: name.into(), limit, cost, decision: *decision })
        }));
    }
}

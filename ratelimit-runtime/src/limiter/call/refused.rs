//! `Refused`: why a call that may wait was not admitted.

use crate::decision::{Decision, Source};
use crate::error::Error;
use crate::limiter::store_call::Decided;
use smallvec::SmallVec;

/// Why a call was not admitted.
pub(super) enum Refused {
    /// A limit of the stack refused the call.
    Limited(Box<Refusal>),
    /// The call could not be decided.
    Failed(Error),
}

/// The refusal of a stack: the decision about each limit, with the limit's position in the stack.
pub(super) struct Refusal {
    /// The position of the limit that refused the call with the longest wait.
    pub(super) at: usize,
    /// The decision of that limit.
    pub(super) decision: Decision,
    /// The decisions of all limits that were decided.
    pub(super) all: SmallVec<[(usize, Decision); 1]>,
    /// Who decided.
    pub(super) source: Source,
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Makes the refusal of the decision `refused`. `positions` are the places of the decided limits in the stack.
pub(super) fn refused_by(
    decided: &Decided,
    refused: usize,
    positions: impl Iterator<Item = usize>,
) -> Refused {
    let all: SmallVec<[(usize, Decision); 1]> = positions.zip(decided.decisions.iter().copied()).collect();
    let (at, decision) = all[refused];
    Refused::Limited(Box::new(Refusal { at, decision, all, source: decided.source }))
}

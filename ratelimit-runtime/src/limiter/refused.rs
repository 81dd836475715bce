//! `Refused`: why a call was not admitted, and the rejection that its caller receives.

use super::decided::Source;
use super::report;
use crate::decision::Decision;
use crate::error::Error;
use crate::key::LimitName;
use crate::rejection::Rejection;
use smallvec::SmallVec;

/// Why a call was not admitted.
pub(crate) enum Refused {
    /// A limit of the stack refused the call.
    Limited(Box<Refusal>),
    /// The call could not be decided.
    Failed(Error),
}

/// The refusal of a stack: the decision about each limit, with the limit's position in the stack.
pub(crate) struct Refusal {
    /// The position of the limit that refused the call with the longest wait.
    pub(crate) at: usize,
    /// The decision of that limit.
    pub(crate) decision: Decision,
    /// The decisions of all limits that were decided.
    pub(crate) all: SmallVec<[(usize, Decision); 1]>,
    /// Who decided.
    pub(crate) source: Source,
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl Refused {
    /// The rejection of a call of one limit.
    pub(super) fn rejection(self, name: LimitName) -> Rejection {
        match self {
            Self::Limited(refusal) => Rejection::limited(name, refusal.decision),
            Self::Failed(error) => undecided(name, error),
        }
    }
}

/// The rejection of a call whose limit could not be decided. Logs an error that the operator must fix.
pub(crate) fn undecided(name: impl Into<LimitName>, error: Error) -> Rejection {
    let name = name.into();
    report::error(name.as_str(), &error, "cannot decide about this limit; rejecting its calls");
    Rejection::undecided(name, error)
}

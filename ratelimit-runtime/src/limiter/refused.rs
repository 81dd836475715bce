//! `Refused`: why a call was not admitted, and the rejection that its caller receives.

use super::report;
use crate::decision::Decision;
use crate::error::Error;
use crate::key::LimitName;
use crate::rejection::Rejection;

/// Why a call was not admitted.
pub(crate) enum Refused {
    /// The limit at this position of the stack refused the call.
    Limited(usize, Decision),
    /// The call could not be decided.
    Failed(Error),
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
            Self::Limited(_, decision) => Rejection::limited(name, decision),
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

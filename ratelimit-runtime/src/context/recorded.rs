//! `Recorded`: a decision of an attribute, kept for the response's header fields.

use crate::decision::Decision;
use crate::key::LimitName;
use crate::limit::Limit;

/// A decision that an attribute has made for a request.
///
/// Shadow limits, exempt calls, and calls that only the failure policy has admitted are not recorded.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub(crate) name: LimitName,
    pub(crate) limit: Limit,
    pub(crate) cost: u32,
    pub(crate) decision: Decision,
}

impl Recorded {
    /// The name of the limit, as in [`Rejection::name`](crate::Rejection::name).
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// The limit with the numbers in force, overrides applied.
    #[must_use]
    pub const fn limit(&self) -> &Limit {
        &self.limit
    }

    /// The units that the call takes.
    #[must_use]
    pub const fn cost(&self) -> u32 {
        self.cost
    }

    /// The decision.
    pub const fn decision(&self) -> &Decision {
        &self.decision
    }
}

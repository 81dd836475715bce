//! `RecordedDecision`: a decision of an attribute or a layer, stored for the response's header fields.

use crate::decision::Decision;
use crate::key::LimitName;
use crate::limit::Limit;

/// A decision that an attribute or a layer has made for a request.
///
/// When the function returns, `refund_if` and `settle` correct the decision by the units that they return or take. So the
/// header fields of the response show the units that are left after the call. Shadow limits, exempt calls, and calls that only
/// the failure policy has admitted are not recorded.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), ratelimit::Rejection> {
/// use ratelimit::context::RequestContext;
/// use ratelimit::{Rejection, rate_limit};
///
/// #[rate_limit(key = "recorded_example", count = 5, by = "global")]
/// async fn search() -> Result<(), Rejection> { Ok(()) }
///
/// let context = RequestContext::new();
/// context.clone().scope(search()).await?;
/// let [made] = &context.decisions()[..] else { panic!("one limit has decided") };
/// assert_eq!((made.name(), made.cost()), ("recorded_example", 1));
/// assert_eq!(made.decision().remaining(), 4);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct RecordedDecision {
    pub(crate) name: LimitName,
    pub(crate) limit: Limit,
    pub(crate) cost: u32,
    pub(crate) decision: Decision,
    /// A hash of the key, to see that one request was counted twice.
    pub(crate) key: u64,
}

impl RecordedDecision {
    /// The name of the limit, as in [`Rejection::name`](crate::Rejection::name).
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// The limit in force for the call, with its override.
    pub const fn limit(&self) -> &Limit {
        &self.limit
    }

    /// The units that the call takes.
    pub const fn cost(&self) -> u32 {
        self.cost
    }

    /// The decision.
    pub const fn decision(&self) -> &Decision {
        &self.decision
    }

    /// Whether two decisions are about the same limit. An override may have changed its count in between.
    pub(crate) fn is_about_same_limit(&self, other: &Self) -> bool {
        let rule = |of: &Self| (of.limit.algorithm(), of.limit.time_ms(), of.limit.window());
        self.name.as_str() == other.name.as_str() && rule(self) == rule(other)
    }

    /// Corrects the decision after these units have come back to the limit.
    pub(crate) fn give(&mut self, units: u32) {
        self.decision = self.decision.after_return(&self.limit, units.min(self.cost));
    }

    /// Corrects the decision after these units have been taken from the limit.
    pub(crate) fn take(&mut self, units: u32) {
        self.decision = self.decision.after_taking(&self.limit, units);
    }
}

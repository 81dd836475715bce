//! Operations on the keys of the tests, made by a store.

use crate::harness::{TestAdjustment, TestRequest, adjust, decide};
pub(crate) use ratelimit::__testing::conformance::{Operation, Outcome, agree, answer, by_definition};
use ratelimit::store::{Mode, Store};
use ratelimit::{Decision, Error, Limit};
use std::time::Duration;

/// The outcome of a decision, whose times are whole milliseconds.
fn outcome(decision: &Decision) -> Outcome {
    let times = [Some(decision.delay()), decision.retry_after(), Some(decision.reset_after())];
    let whole = |time: Duration| time.subsec_nanos().is_multiple_of(1_000_000);
    assert!(times.into_iter().flatten().all(whole), "a fraction of a millisecond");
    Outcome::Answer(answer(decision))
}

/// Makes operations of one sort (requests of one mode, or adjustments) in one call of the store.
pub(crate) async fn by_store(
    store: &dyn Store,
    limit: Limit,
    steps: &[(usize, Operation)],
) -> Result<Vec<Outcome>, Error> {
    let mut the_mode = Mode::Peek;
    let (mut requests, mut adjustments) = (Vec::new(), Vec::new());
    for &(key, step) in steps {
        match step {
            Operation::Decide { mode, cost, keep, permit } => {
                the_mode = mode;
                requests.push(TestRequest::new(key, limit, cost).with_permit(permit).with_keep(keep));
            }
            Operation::Adjust { units, change } => {
                adjustments.push(TestAdjustment { key, limit, units, change });
            }
        }
    }
    assert!(requests.is_empty() || adjustments.is_empty());
    if requests.is_empty() {
        return Ok(adjust(store, &adjustments).await?.into_iter().map(Outcome::Units).collect());
    }
    Ok(decide(store, the_mode, &requests).await?.iter().map(outcome).collect())
}

//! Operations on the keys of the tests. A store makes them, and their outcomes are compared with the definition.

use crate::harness::{TestAdjustment, TestRequest, Twins, adjust, decide};
use crate::models::definitions::Numbers;
use crate::models::random::traffic::Traffic;
pub(crate) use ratelimit::__testing::conformance::{Operation, Outcome, agree, answer, by_definition};
use ratelimit::store::{Mode, Store};
use ratelimit::{Decision, Error, Limit};
use std::time::Duration;

/// A time in µs, and operations of one sort (requests of one mode, or adjustments) that are made in one call at this time.
pub(crate) type Call = (u64, Vec<(usize, Operation)>);

/// Makes random operations until an outcome differs from the definition. Returns all calls up to the difference. `make` makes
/// the operations of a call, and returns `None` for an error. With `alone`, each call has one operation.
pub(crate) async fn first_difference(
    numbers: &Numbers,
    operations: usize,
    seed: u64,
    alone: bool,
    mut make: impl AsyncFnMut(u64, &[(usize, Operation)]) -> Option<Vec<Outcome>>,
) -> Option<Vec<Call>> {
    let (mut traffic, mut done, mut past) = (Traffic::new(*numbers, seed), 0, Vec::new());
    while done < operations && traffic.goes_on() {
        let (now, steps) = if alone { traffic.next_alone() } else { traffic.next() };
        let expected = traffic.expected(&steps);
        let found = make(now, &steps).await;
        let agrees = found.is_some_and(|found| agree(numbers, &steps, &found, &expected));
        done += steps.len();
        past.push((now, steps));
        if !agrees {
            return Some(past);
        }
    }
    None
}

/// The twin that makes the operations.
#[derive(Clone, Copy, Debug)]
pub(crate) enum By {
    Memory,
    Script,
}

impl By {
    pub(crate) async fn make(
        self,
        twins: &mut Twins,
        now: u64,
        numbers: &Numbers,
        steps: &[(usize, Operation)],
    ) -> Option<Vec<Outcome>> {
        twins.set_clock(now);
        let store: &dyn Store = match self {
            Self::Memory => &twins.memory,
            Self::Script => &twins.redis,
        };
        by_store(store, numbers.limit(), steps).await.ok()
    }
}

/// The outcome of a decision. Asserts that its times are whole milliseconds.
fn outcome(decision: &Decision) -> Outcome {
    let times = [Some(decision.delay()), decision.retry_after(), Some(decision.reset_after())];
    let whole = |time: Duration| time.subsec_nanos().is_multiple_of(1_000_000);
    assert!(times.into_iter().flatten().all(whole), "a fraction of a millisecond");
    Outcome::Answer(answer(decision))
}

async fn by_store(
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

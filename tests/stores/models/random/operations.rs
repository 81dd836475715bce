//! Operations on a key: their outcome by definition and by a store, and whether both agree.

use crate::harness::{TestAdjustment, TestRequest, adjust, decide};
use crate::models::definitions::{Answer, Definition, Kind, Numbers};
use ratelimit::store::{Change, Mode, Store};
use ratelimit::{Decision, Error, Limit};
use std::time::Duration;

/// An operation on a key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operation {
    Decide { mode: Mode, cost: u32, keep: u32, permit: u64 },
    Adjust { units: u32, change: Change },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Answer(Answer),
    Units(u32),
}

/// A store's decision in the form of the definitions.
pub(crate) fn answer(decision: &Decision) -> Answer {
    let ms = |duration: Duration| {
        assert_eq!(duration.subsec_nanos() % 1_000_000, 0, "a fraction of a millisecond");
        u64::try_from(duration.as_millis()).unwrap()
    };
    Answer {
        allowed: decision.is_allowed(),
        delay: ms(decision.delay()),
        limit: decision.capacity(),
        remaining: decision.remaining(),
        retry_after: decision.retry_after().map(ms),
        reset_after: ms(decision.reset_after()),
        stamp: decision.stamp(),
    }
}

pub(crate) fn by_definition(definition: &mut dyn Definition, now: u64, step: Operation) -> Outcome {
    match step {
        Operation::Decide { mode, cost, keep, permit } => {
            Outcome::Answer(definition.decide_keeping(now, mode, cost, keep, permit))
        }
        Operation::Adjust { units, change } => Outcome::Units(match change {
            Change::Give(stamp) => definition.give(now, units, stamp),
            Change::Take => definition.take(now, units),
            Change::Renew(id) => definition.renew(now, id),
            Change::Block(ms) => definition.block(now, ms),
            Change::Open => definition.open(now),
            Change::Pause(ms) => definition.pause(now, ms),
            Change::Closed => definition.closed(now),
            other => panic!("no definition of {other:?}"),
        }),
    }
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
    let decisions = decide(store, the_mode, &requests).await?;
    Ok(decisions.iter().map(|decision| Outcome::Answer(answer(decision))).collect())
}

/// Whether a store's outcomes are as defined. A store may report that it removed a permit, a ticket or a stamp that
/// no longer counts: no caller uses that number, and the exact number would cost each release another command.
pub(crate) fn agree(
    numbers: &Numbers,
    steps: &[(usize, Operation)],
    found: &[Outcome],
    expected: &[Outcome],
) -> bool {
    let lists = matches!(numbers.kind, Kind::Concurrency | Kind::Log);
    let one = |((found, expected), (_, step)): ((&Outcome, &Outcome), &(usize, Operation))| {
        let removed =
            matches!((step, found), (Operation::Adjust { change: Change::Give(_), .. }, Outcome::Units(_)));
        found == expected || lists && removed && *expected == Outcome::Units(0)
    };
    found.len() == expected.len() && found.iter().zip(expected).zip(steps).all(one)
}

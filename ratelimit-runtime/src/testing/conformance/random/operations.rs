//! Operations on a key, their outcomes by the definition and by a store, and the comparison of both.

use crate::decision::Decision;
use crate::store::{Change, Mode};
use crate::testing::conformance::definitions::{Answer, Definition, Kind, Numbers};
use std::time::Duration;

/// An operation on a key.
#[derive(Clone, Copy, Debug)]
pub enum Operation {
    Decide { mode: Mode, cost: u32, keep: u32, permit: u64 },
    Adjust { units: u32, change: Change },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Answer(Answer),
    Units(u32),
}

/// Converts a store's decision to the form of the definitions. Times are rounded up to milliseconds.
pub fn answer(decision: &Decision) -> Answer {
    let ms = |duration: Duration| u64::try_from(duration.as_micros().div_ceil(1000)).unwrap();
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

pub fn by_definition(definition: &mut dyn Definition, now: u64, step: Operation) -> Outcome {
    match step {
        Operation::Decide { mode, cost, keep, permit } => {
            Outcome::Answer(definition.decide_keeping(now, mode, cost, keep, permit))
        }
        Operation::Adjust { units, change } => Outcome::Units(match change {
            Change::Give(stamp) => definition.give(now, units, stamp),
            Change::Take => definition.take(now, units),
            Change::Used => definition.used(now),
            Change::Renew(id) => definition.renew(now, id),
            Change::Block(ms) => definition.block(now, ms),
            Change::Open => definition.open(now),
            Change::Pause(ms) => definition.pause(now, ms),
            Change::Closed => definition.closed(now),
        }),
    }
}

/// Whether a store's outcomes agree with the definition. If a store removes a permit, a ticket or a timestamp that no longer
/// counts, it may report the removed units or 0. No caller uses that number, and an exact number would cost each release
/// another command.
pub fn agree(
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

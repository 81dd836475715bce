//! `Call`: what a random sequence makes at one time.

use super::operations::Operation;
use crate::store::{Change, Mode};
use crate::testing::conformance::definitions::Numbers;
use std::collections::HashMap;
use std::fmt;

/// A key of a sequence: the number of its limit among the limits of the sequence, and its number among the keys of this limit.
pub(super) type Place = (usize, usize);

/// An operation on a key, and the limit at that time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) place: Place,
    pub(super) numbers: Numbers,
    pub(super) operation: Operation,
}

/// A reset of keys, and then requests of one mode or adjustments, which are made in one call of the store.
#[derive(Clone, Debug, Default)]
pub(super) struct Call {
    /// The time in µs since the sequence began.
    pub(super) at: u64,
    pub(super) reset: Vec<(Place, Numbers)>,
    /// Stacks of requests, or single requests or adjustments.
    pub(super) groups: Vec<Vec<Step>>,
}

impl Call {
    /// The resets, the stacks and the single operations as separate calls.
    pub(super) fn split(&self) -> Vec<Self> {
        let alone =
            |reset: &[_], groups: &[_]| Self { at: self.at, reset: reset.to_vec(), groups: groups.to_vec() };
        let resets = (!self.reset.is_empty()).then(|| alone(&self.reset, &[]));
        resets.into_iter().chain(self.groups.chunks(1).map(|group| alone(&[], group))).collect()
    }
}

/// Whether the outcomes of these calls are determined: limits change only where [`Numbers::may_follow`] permits it.
pub(super) fn are_determined(calls: &[Call]) -> bool {
    // The last limit of a key, the time of the first operation on the key, and whether it has been paused.
    let mut known: HashMap<Place, (Numbers, u64, bool)> = HashMap::new();
    for Call { at, reset, groups } in calls {
        known.extend(reset.iter().map(|(place, numbers)| (*place, (*numbers, *at, false))));
        let steps = groups.iter().flatten().filter(|step| step.numbers.count > 0);
        for Step { place, numbers, operation } in steps {
            let (earlier, born, was_paused) = known.entry(*place).or_insert((*numbers, *at, false));
            if !numbers.may_follow(earlier, born == at, *was_paused) {
                return false;
            }
            *earlier = *numbers;
            *was_paused |= matches!(operation, Operation::Adjust { change: Change::Pause(_), .. });
        }
    }
    true
}

/// Ids at the store are spread over 52 bits, and some of them differ only in their high bits.
pub(super) const fn store_id(id: u64) -> u64 {
    const HIGH: [u64; 4] = [0, 1 << 31, 1 << 32, 1 << 51];
    (id / 4) | HIGH[(id % 4) as usize]
}

/// Describes the operation in a few words.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place: (limit, key), numbers, operation } = self;
        match *operation {
            Operation::Decide { mode, cost, keep, permit } => {
                f.write_str(match mode {
                    Mode::Check => "check",
                    Mode::Charge => "charge",
                    Mode::Peek => "peek at",
                })?;
                write!(f, " {cost} of `{}`", numbers.limit())?;
                if keep > 0 {
                    write!(f, ", keep {keep}")?;
                }
                if numbers.limit().is_concurrency() {
                    write!(f, ", as permit {}", store_id(permit))?;
                }
            }
            Operation::Adjust { units, change } => {
                match change {
                    Change::Give(id) if numbers.limit().is_concurrency() => {
                        write!(f, "return {units} of permit {}", store_id(id))
                    }
                    Change::Give(stamp) => write!(f, "return {units} of the charge {stamp}"),
                    Change::Take => write!(f, "take {units}"),
                    Change::Used => f.write_str("ask for the units in use"),
                    Change::Renew(id) => write!(f, "renew permit {}", store_id(id)),
                    Change::Block(ms) => write!(f, "block for {ms} ms"),
                    Change::Open => f.write_str("end the block"),
                    Change::Pause(ms) => write!(f, "pause for {ms} ms"),
                    Change::Closed => f.write_str("ask how long it is closed"),
                }?;
                write!(f, " of `{}`", numbers.limit())?;
            }
        }
        write!(f, " under `{limit}.{key}`")
    }
}

//! Maps the stamps of the definition to the stamps of the store, for the charges of a sequence.

use super::call::{Call, Place, Step};
use super::operations::{Operation, Outcome};
use crate::store::Change;
use crate::testing::conformance::definitions::{Answer, Kind, Numbers};
use std::collections::HashMap;

/// The charges of a sequence whose units can be returned, by key and by the stamp of the definition.
#[derive(Default)]
pub(super) struct Charges {
    made: HashMap<(Place, u64), Vec<Charge>>,
    /// The limit of each key at its last operation.
    limits: HashMap<Place, Numbers>,
}

/// A charge that the store has made.
struct Charge {
    stamp: u64,
    cost: u32,
    /// The time in µs at which the key was reset after the charge.
    reset: Option<u64>,
}

/// The time in µs after a reset for which all stores know the charges from before it. A store may forget them when the state that
/// was reset would have expired.
const KNOWN: u64 = 1_000_000;

impl Charges {
    /// Leaves out the operations whose outcomes the contract does not determine. Stamps differ from store to store, so the return
    /// of a charge that was never made, was already returned, or was made under another limit is left out. A return of more units
    /// than the charge has taken is reduced to these units.
    pub(super) fn determined(&mut self, call: &Call) -> Call {
        for Step { place, numbers, .. } in call.groups.iter().flatten() {
            if self.limits.insert(*place, *numbers).is_some_and(|earlier| earlier != *numbers) {
                self.forget(*place);
            }
        }
        let mut given = Vec::new();
        let mut is_determined = |Step { place, numbers, operation }: &mut Step| match operation {
            Operation::Adjust { units, change: Change::Give(stamp) } if numbers.kind != Kind::Concurrency => {
                let charge = self.made.get(&(*place, *stamp)).and_then(|charges| charges.last());
                let is_known = |charge: &&Charge| charge.reset.is_none_or(|reset| call.at - reset <= KNOWN);
                let is_new = !given.contains(&(*place, *stamp));
                given.push((*place, *stamp));
                charge
                    .filter(is_known)
                    .filter(|_| is_new)
                    .map(|charge| *units = charge.cost.min(*units))
                    .is_some()
            }
            _ => true,
        };
        let mut call = call.clone();
        for group in &mut call.groups {
            group.retain_mut(&mut is_determined);
        }
        call.groups.retain(|group| !group.is_empty());
        call
    }

    /// Notes the reset of a key. Charges of logs are forgotten: another charge at the same time has the same stamp.
    pub(super) fn note_reset(&mut self, place: Place, numbers: &Numbers, now: u64) {
        if !numbers.takes_block() {
            return self.forget(place);
        }
        let charges =
            self.made.iter_mut().filter(|((of, _), _)| *of == place).flat_map(|(_, charges)| charges);
        for charge in charges {
            charge.reset = charge.reset.or(Some(now));
        }
    }

    /// Forgets the charges of a key.
    fn forget(&mut self, place: Place) {
        self.made.retain(|(of, _), _| *of != place);
    }

    /// Removes the charge that has this stamp in the definition. Returns the stamp that the store has given to the charge.
    pub(super) fn take(&mut self, place: Place, stamp: u64) -> Option<u64> {
        self.made.get_mut(&(place, stamp))?.pop().map(|charge| charge.stamp)
    }

    /// Stores a charge under the stamp of the definition. If both outcomes have a stamp, replaces the stamp of the store by the
    /// stamp of the definition.
    pub(super) fn remember(&mut self, step: &Step, found: &mut Outcome, expected: &Outcome) {
        if step.numbers.kind != Kind::Concurrency
            && let Operation::Decide { cost, .. } = step.operation
            && let Outcome::Answer(Answer { stamp: found @ 1.., .. }) = found
            && let Outcome::Answer(Answer { stamp: defined @ 1.., .. }) = expected
        {
            self.made.entry((step.place, *defined)).or_default().push(Charge {
                stamp: *found,
                cost,
                reset: None,
            });
            *found = *defined;
        }
    }
}

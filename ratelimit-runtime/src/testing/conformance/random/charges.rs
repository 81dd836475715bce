//! Maps the stamps of the definition to the stamps of the store, for the charges of a sequence.

use super::operations::{Operation, Outcome};
use crate::store::Change;
use crate::testing::conformance::definitions::{Answer, Kind, Numbers};
use std::collections::HashMap;

/// The charges of a sequence whose units can be returned, by key and by the stamp of the definition.
#[derive(Default)]
pub(super) struct Charges(HashMap<(usize, u64), Vec<Charge>>);

/// A charge that the store has made.
struct Charge {
    stamp: u64,
    cost: u32,
}

impl Charges {
    /// Returns the operations whose outcomes the contract determines. Stamps differ from store to store, so the return of a
    /// charge that was never made or was already returned is left out. A return of more units than the charge has taken is
    /// reduced to these units.
    pub(super) fn determined(
        &self,
        numbers: &Numbers,
        steps: &[(usize, Operation)],
    ) -> Vec<(usize, Operation)> {
        let mut given = Vec::new();
        let mut is_determined = |key: usize, operation: &mut Operation| match operation {
            Operation::Adjust { units, change: Change::Give(stamp) } if numbers.kind != Kind::Concurrency => {
                let charge = self.0.get(&(key, *stamp)).and_then(|charges| charges.last());
                let is_new = !given.contains(&(key, *stamp));
                given.push((key, *stamp));
                charge.filter(|_| is_new).map(|charge| *units = charge.cost.min(*units)).is_some()
            }
            _ => true,
        };
        let mut determined = steps.to_vec();
        determined.retain_mut(|(key, operation)| is_determined(*key, operation));
        determined
    }

    /// Removes the charge that has this stamp in the definition. Returns the stamp that the store has given to the charge.
    /// `None` if there is no such charge.
    pub(super) fn take(&mut self, numbers: &Numbers, key: usize, stamp: u64) -> Option<u64> {
        if numbers.kind == Kind::Concurrency {
            return Some(stamp);
        }
        self.0.get_mut(&(key, stamp))?.pop().map(|charge| charge.stamp)
    }

    /// Stores the charges under the stamps of the definition.
    pub(super) fn remember(&mut self, steps: &[(usize, Operation)], found: &[Outcome], expected: &[Outcome]) {
        for (&(key, step), outcomes) in steps.iter().zip(found.iter().zip(expected)) {
            if let Operation::Decide { cost, .. } = step
                && let (Outcome::Answer(found), Outcome::Answer(Answer { stamp: defined @ 1.., .. })) =
                    outcomes
            {
                let charges = self.0.entry((key, *defined)).or_default();
                charges.push(Charge { stamp: found.stamp, cost });
            }
        }
    }
}

/// If the outcomes of the store and of the definition both have a stamp, replaces the stamp of the store by the stamp of the
/// definition.
pub(super) fn with_stamps_of(found: &[Outcome], expected: &[Outcome]) -> Vec<Outcome> {
    let one = |(found, expected): (&Outcome, &Outcome)| match (*found, expected) {
        (Outcome::Answer(answer), Outcome::Answer(Answer { stamp: stamp @ 1.., .. })) if answer.stamp > 0 => {
            Outcome::Answer(Answer { stamp: *stamp, ..answer })
        }
        (found, _) => found,
    };
    found.iter().zip(expected).map(one).collect()
}

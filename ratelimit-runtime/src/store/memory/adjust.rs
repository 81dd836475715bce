//! Adjustments: change the units or the gate of a key after a decision.

use super::table::Entry;
use super::terms::Terms;
use super::{MemoryStore, bucket, list, number};
use crate::clock::Clock;
use crate::error::Error;
use crate::store::{Adjusted, Adjustment, Change};

impl<C: Clock> MemoryStore<C> {
    /// Does the same as `Store::adjust`, without a `Reply`.
    pub(crate) fn adjust_now(&self, adjustments: &[Adjustment]) -> Result<Adjusted, Error> {
        adjustments.iter().try_for_each(Adjustment::check)?;
        let now_us = self.clock.now_micros();
        Ok(adjustments.iter().map(|adjustment| self.adjust_one(adjustment, now_us)).collect())
    }

    fn adjust_one(&self, adjustment: &Adjustment, now_us: u64) -> u32 {
        let dated = self.dated(adjustment.limit(), now_us);
        let limit = dated.as_ref().unwrap_or(adjustment.limit());
        let (units, change) = (adjustment.units(), adjustment.change());
        let terms = Terms::peek(limit, adjustment.key().hash(), now_us);
        let Terms { hash, now, .. } = terms;
        if limit.is_list() {
            let adjusted = self.lists.update(hash, now, |entry| list::adjust(entry, &terms, units, change));
            self.lists.shed(now);
            return adjusted;
        }
        self.numbers.update(hash, now, |entry| {
            let change = match change {
                Change::Give(stamp) => match self.resets.time(hash, stamp, now) {
                    Some(time) => Change::Give(time),
                    None => return 0,
                },
                change => change,
            };
            self.change_gate(entry, &terms, change)
                .unwrap_or_else(|| number::adjust(entry, &terms, units, change))
        })
    }

    /// Changes the gate of the key whose state is `number`. Returns `None` if the change does not concern the gate.
    fn change_gate(&self, number: &mut Entry<u64>, terms: &Terms<'_>, change: Change) -> Option<u32> {
        let Terms { limit, now, .. } = *terms;
        match change {
            Change::Block(ms) => {
                if self.block(ms, terms).is_none() {
                    bucket::gated(number, limit, now);
                }
                Some(1)
            }
            Change::Pause(_) if limit.refuses_all() => Some(0),
            Change::Pause(ms) => {
                let (before, left) = self.pause(ms, terms);
                if before.is_none() {
                    bucket::gated(number, limit, now);
                }
                number::use_up(number, limit, left, now);
                Some(1)
            }
            Change::Open => Some(self.open_gate(terms).into()),
            Change::Closed => Some(u32::try_from(self.gate(terms).left(now)).unwrap_or(u32::MAX)),
            Change::Give(_) | Change::Take | Change::Used | Change::Renew(_) => None,
        }
    }
}

//! Changes after a decision: of the units of a key, and of its gate.

use super::table::Guard;
use super::terms::Now;
use super::{MemoryStore, list, number};
use crate::clock::Clock;
use crate::error::Error;
use crate::limit::State;
use crate::store::{Adjusted, Adjustment, Change};

impl<C: Clock> MemoryStore<C> {
    /// [`Store::adjust`] without the [`Reply`].
    pub(crate) fn adjust_now(&self, adjustments: &[Adjustment]) -> Result<Adjusted, Error> {
        adjustments.iter().try_for_each(Adjustment::check)?;
        let now = Now::of(&self.clock);
        Ok(adjustments.iter().map(|adjustment| self.adjust_one(adjustment, now)).collect())
    }

    fn adjust_one(&self, adjustment: &Adjustment, now: Now) -> u32 {
        let dated = self.dates.limit_at(adjustment.limit(), &self.clock, now);
        let limit = dated.as_ref().unwrap_or(adjustment.limit());
        let (units, change) = (adjustment.units(), adjustment.change());
        let hash = self.hash_key.hash(adjustment.key());
        match limit.state() {
            State::Number(state) => {
                let mut shard = self.numbers.lock(hash);
                if let Some(changed) = self.change_gate(adjustment, &mut shard, hash, now) {
                    return changed;
                }
                number::adjust(state, shard.entry(hash, now.ms), limit, units, change, now)
            }
            State::List(state) => {
                let mut shard = self.lists.lock(hash);
                let adjusted = list::adjust(state, shard.entry(hash, now.ms), limit, units, change, now);
                drop(shard);
                self.lists.shed(now.ms);
                adjusted
            }
        }
    }

    /// Changes the gate of a key, whose number is locked. `None` if the change is for the number alone.
    fn change_gate(
        &self,
        adjustment: &Adjustment,
        shard: &mut Guard<'_, u64>,
        hash: u64,
        now: Now,
    ) -> Option<u32> {
        let limit = adjustment.limit();
        match adjustment.change() {
            Change::Block(ms) => {
                if self.gates.block(hash, ms, limit, now).is_none() {
                    number::gated(shard.entry(hash, now.ms), limit, now);
                }
                Some(1)
            }
            Change::Pause(_) if limit.refuses_all() => Some(0),
            Change::Pause(ms) => {
                let (before, left) = self.gates.pause(hash, ms, limit, now);
                if before.is_none() {
                    number::gated(shard.entry(hash, now.ms), limit, now);
                }
                number::use_up(shard.entry(hash, now.ms), limit, left, now);
                Some(1)
            }
            Change::Open => Some(self.gates.open(hash, now).into()),
            Change::Closed => Some(u32::try_from(self.gates.left(hash, now)).unwrap_or(u32::MAX)),
            Change::Give(_) | Change::Take | Change::Renew(_) => None,
        }
    }
}

//! Token bucket and leaky bucket: the twin of `lua/token_bucket.lua` and `lua/leaky_bucket.lua`, with the same state.
//! `lua/token_bucket.lua` explains the arithmetic with an example.
//!
//! An entry's value is `life_ms * 2^27 + units`. `units` units were charged since a time that is called the anchor, and
//! `life_ms` is the time from the anchor to the deadline of the entry. The level is computed in whole grains and ticks, so
//! every rational rate is exact:
//!
//! | | tick | grains in a unit | grains that leak in a tick |
//! |---|---|---|---|
//! | continuous | 1 ms | `period_ms` | `tokens` |
//! | by interval | `period_ms` | 1 | `tokens` |

use super::table::Entry;
use super::terms::{Terms, Verdict, signed};
use crate::limit::Limit;

const UNITS: u64 = 1 << 27;
/// The longest life of a state, as in the scripts.
const LONGEST_LIFE_MS: i64 = 100_000_000_000;
/// The longest time that a decision contains, as in the scripts.
const LONGEST_MS: u64 = (1 << 53) - 3;

/// The state of a bucket at the time of a decision.
struct Bucket<'l> {
    limit: &'l Limit,
    now: i64,
    /// The numbers in the table at the top of this file: grains in a unit, grains that leak in a tick, and the length of a tick
    /// in ms.
    per_unit: i64,
    per_tick: i64,
    tick_ms: i64,
    /// The units that were charged since the anchor. This and the following fields are 0 if nothing is in use.
    units: u64,
    /// The time since the anchor in ms. It is negative after a step back of the clock.
    elapsed_ms: i64,
    /// The end of the state, in ms of the clock.
    end: i64,
    /// The level in grains.
    grains: i64,
}

impl<'l> Bucket<'l> {
    /// Reads an entry. At its deadline, an entry still exists, like a key in Redis.
    #[inline]
    fn read(entry: &Entry<u64>, limit: &'l Limit, now: u64) -> Self {
        let (rate, now) = (limit.rate(), signed(now));
        let period_ms = signed(rate.period_ms);
        let (per_unit, tick_ms) = if limit.refills_by_interval() { (1, period_ms) } else { (period_ms, 1) };
        let (units, end) = (entry.value % UNITS, signed(entry.deadline()));
        let elapsed_ms = now - (end - signed(entry.value / UNITS));
        let per_tick = i64::from(rate.tokens);
        let bucket = Self { limit, now, per_unit, per_tick, tick_ms, units, elapsed_ms, end, grains: 0 };
        // The product is below 2^62. If the subtraction saturates, nothing is in use, or the level is above every capacity,
        // so the exact level does not matter.
        let grains = (signed(units) * per_unit).saturating_sub(bucket.leaked(elapsed_ms));
        if grains <= 0 {
            return Self { units: 0, elapsed_ms: 0, end: 0, ..bucket };
        }
        Self { grains, ..bucket }
    }

    /// Returns the number of whole ticks in a time, and the rest in ms. The common tick of 1 ms needs no division.
    #[inline]
    fn ticks(&self, elapsed_ms: i64) -> (i64, i64) {
        if self.tick_ms == 1 {
            return (elapsed_ms, 0);
        }
        (elapsed_ms.div_euclid(self.tick_ms), elapsed_ms.rem_euclid(self.tick_ms))
    }

    /// Returns the grains that leak in the whole ticks of a time.
    #[inline]
    fn leaked(&self, elapsed_ms: i64) -> i64 {
        self.ticks(elapsed_ms).0.saturating_mul(self.per_tick)
    }

    /// Returns the time in ms until `grains` grains have leaked. `elapsed_ms` is the time since the anchor.
    #[inline]
    fn leak_time(&self, grains: i64, elapsed_ms: i64) -> u64 {
        let ms = rounded_up(grains, self.per_tick).saturating_mul(self.tick_ms) - self.ticks(elapsed_ms).1;
        ms.unsigned_abs().min(LONGEST_MS)
    }

    #[inline]
    fn capacity(&self) -> i64 {
        i64::from(self.limit.capacity()) * self.per_unit
    }

    #[inline]
    fn wait_ms(&self, terms: &Terms<'_>) -> Option<u64> {
        let needed = terms.needed;
        if needed > i64::from(self.limit.capacity()) {
            return None;
        }
        if self.limit.is_queue() {
            if terms.keeps() && needed > self.room() {
                let last = self.grains.saturating_add((needed - 1) * self.per_unit);
                return Some(self.leak_time(last, self.elapsed_ms));
            }
            return Some(self.reset_ms());
        }
        let free = self.capacity() - self.grains;
        let short = (needed * self.per_unit).saturating_sub(free);
        Some(if short > 0 { self.leak_time(short, self.elapsed_ms) } else { 0 })
    }

    #[inline]
    fn room(&self) -> i64 {
        if self.limit.is_queue() {
            let waiting = signed(self.limit.wait_ms()).saturating_mul(self.per_tick) - self.grains;
            return waiting.div_euclid(self.per_unit) + 1;
        }
        (self.capacity() - self.grains).div_euclid(self.per_unit)
    }

    #[inline]
    fn reset_ms(&self) -> u64 {
        if self.grains == 0 { 0 } else { self.leak_time(self.grains, self.elapsed_ms) }
    }

    /// Charges a cost. Returns the units that are free after the charge.
    #[inline]
    fn charge(&mut self, entry: &mut Entry<u64>, cost: u32) -> i64 {
        let anchor = self.now - self.elapsed_ms;
        let lives_on = self.end == self.own_end(anchor);
        self.units += u64::from(cost);
        self.grains = self.grains.saturating_add(i64::from(cost) * self.per_unit);
        let room = self.room();
        if lives_on && self.leaks_by_the_end() && self.units < UNITS {
            entry.set(entry.value + u64::from(cost), entry.deadline(), self.limit, room);
        } else {
            self.anchor_later(entry, anchor, room);
        }
        room
    }

    /// Returns the usual end of a state with this anchor. If units are still in use by then, the state has another end.
    #[inline]
    fn own_end(&self, anchor: i64) -> i64 {
        anchor.saturating_add(signed(self.limit.life_ms()))
    }

    /// Returns whether nothing is in use by the end of the state.
    #[inline]
    fn leaks_by_the_end(&self) -> bool {
        let left_ms = self.end.saturating_sub(self.now).saturating_add(self.ticks(self.elapsed_ms).1);
        self.leaked(left_ms) >= self.grains
    }

    /// Moves the anchor forward by whole periods. In each period, a whole number of units leaks, so nothing is rounded.
    #[cold]
    fn anchor_later(&self, entry: &mut Entry<u64>, anchor: i64, room: i64) {
        let rate = self.limit.rate();
        let periods = self.elapsed_ms.max(0) / signed(rate.period_ms);
        let leaked = periods.unsigned_abs().saturating_mul(rate.tokens.into());
        let anchor = anchor + periods * signed(rate.period_ms);
        self.set(entry, self.units.saturating_sub(leaked), anchor, self.reset_ms(), room);
    }

    /// Sets the state to `units` units that were charged since `anchor`. Nothing is in use after `reset_ms`.
    fn set(&self, entry: &mut Entry<u64>, units: u64, anchor: i64, reset_ms: u64, room: i64) {
        let unused = self.now.saturating_add(signed(reset_ms));
        let end = match self.own_end(anchor) {
            end if end >= unused => end,
            _ => unused.min(anchor.saturating_add(LONGEST_LIFE_MS)),
        };
        let life_ms = (end - anchor).unsigned_abs();
        entry.set(life_ms * UNITS + units, end.unsigned_abs(), self.limit, room);
    }
}

#[inline]
fn rounded_up(grains: i64, by: i64) -> i64 {
    grains / by + i64::from(grains % by > 0)
}

/// Decides about a request, and charges it if it passes.
#[inline]
pub(super) fn decide(entry: &mut Entry<u64>, terms: &Terms<'_>) -> Verdict {
    let mut bucket = Bucket::read(entry, terms.limit, terms.now);
    let wait_ms = bucket.wait_ms(terms);
    let Some(wait) = terms.turn(wait_ms) else {
        return Verdict { wait_ms, room: bucket.room(), reset_ms: bucket.reset_ms(), stamp: 0 };
    };
    let room = bucket.charge(entry, terms.cost);
    let reset_ms = bucket.reset_ms();
    terms.charged(wait, room, reset_ms, terms.now + reset_ms)
}

/// Gives back units of the charge with this stamp, as `give` in `lua/token_bucket.lua` does. Returns the number of these units.
/// If nothing is in use afterwards, the state is removed, so that the units do not reappear if the clock steps back.
pub(super) fn give(entry: &mut Entry<u64>, limit: &Limit, units: u32, stamp: u64, now: u64) -> u32 {
    let bucket = Bucket::read(entry, limit, now);
    if bucket.grains == 0 {
        return 0;
    }
    let Bucket { now, per_unit, per_tick, tick_ms, elapsed_ms, grains, .. } = bucket;
    let (left, reset) = (signed(stamp) - now, signed(bucket.reset_ms()));
    let only_last = limit.is_queue() || grains > bucket.capacity();
    if left <= 0 || (only_last && left != reset) {
        return 0;
    }
    let mut units = i64::from(units);
    if limit.refills_by_interval() {
        let steps = left.saturating_add(elapsed_ms.rem_euclid(tick_ms)) / tick_ms;
        units = units.min(steps.saturating_mul(per_tick));
        if units <= 0 {
            return 0;
        }
    } else if left.saturating_mul(per_tick) < units.saturating_mul(per_unit) && left < reset {
        // Sets the level that the bucket would have after `left` more ms.
        bucket.set(entry, bucket.units, now - elapsed_ms - left, (reset - left).unsigned_abs(), 0);
        return u32::try_from(rounded_up(left * per_tick, per_unit)).unwrap_or(u32::MAX);
    }
    if units.saturating_mul(per_unit) >= grains {
        entry.clear();
        units = rounded_up(grains, per_unit);
    } else {
        // After a step back of the clock, the level can be above the units that are stored.
        units = units.min(signed(bucket.units));
        entry.value -= units.unsigned_abs();
    }
    u32::try_from(units).unwrap_or(u32::MAX)
}

/// Sets the end of the state of a bucket that gets a gate. The scripts know only two kinds of ends for a state in front of a
/// gate: a power of two ms after the anchor, or the time at which nothing is in use.
pub(super) fn gated(entry: &mut Entry<u64>, limit: &Limit, now: u64) {
    // A limit that refuses every request may have no rate, so its level cannot be computed. Its requests do not need the level.
    if !limit.is_bucket() || (entry.value / UNITS).is_power_of_two() || limit.refuses_all() {
        return;
    }
    let bucket = Bucket::read(entry, limit, now);
    let reset_ms = bucket.reset_ms();
    if reset_ms == 0 {
        entry.clear();
        return;
    }
    let deadline = now + reset_ms.min(LONGEST_LIFE_MS.unsigned_abs());
    let life_ms = deadline - (entry.deadline() - entry.value / UNITS);
    entry.set(life_ms * UNITS + bucket.units, deadline, limit, bucket.room());
}

/// Uses up a bucket for `ms` ms. A bucket that is used up for longer does not change.
pub(super) fn use_up(entry: &mut Entry<u64>, limit: &Limit, ms: u64, now: u64) {
    let bucket = Bucket::read(entry, limit, now);
    let (units, elapsed_ms) = (if limit.is_queue() { 0 } else { limit.capacity() }, -signed(ms));
    let grains = (i64::from(units) * bucket.per_unit).saturating_sub(bucket.leaked(elapsed_ms));
    if bucket.grains < grains {
        let reset_ms = bucket.leak_time(grains, elapsed_ms);
        bucket.set(entry, units.into(), bucket.now + signed(ms), reset_ms, 0);
    }
}

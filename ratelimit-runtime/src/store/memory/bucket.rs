//! Token bucket and leaky bucket: the twin of `lua/token_bucket.lua` and `lua/leaky_bucket.lua`, with the same state.
//! `lua/token_bucket.lua` explains the arithmetic with an example.
//!
//! A number's value is `life_ms * 2^27 + units`, where `life_ms` is the time from the anchor to the deadline, up to which the
//! units count. The level is computed in whole grains and ticks, so every rational rate is exact:
//!
//! | | tick | grains in a unit | grains that leak in a tick |
//! |---|---|---|---|
//! | continuous | 1 ms | `period_ms` | `tokens` |
//! | by interval | `period_ms` | 1 | `tokens` |

use super::number_algorithm::NumberAlgorithm;
use super::table::Number;
use super::verdict::signed;
use crate::limit::Limit;

const UNITS: u64 = 1 << 27;
/// The longest life of a number, as in the scripts.
const LONGEST_LIFE_MS: i64 = 100_000_000_000;
/// The longest time that a decision contains, as in the scripts.
const LONGEST_MS: u64 = (1 << 53) - 3;

/// How the units of a limit are counted in grains and ticks.
struct Scale {
    per_unit: i64,
    per_tick: i64,
    tick_ms: i64,
}

/// The units that were charged since the anchor, the time since then, which is negative after a step back of the clock, the
/// end of the state, and the level in grains. All zero if the bucket is empty.
#[derive(Clone, Copy, Default)]
struct Level {
    units: u64,
    elapsed_ms: i64,
    end: i64,
    grains: i64,
}

/// A bucket at a time.
pub(super) struct Bucket<'l> {
    limit: &'l Limit,
    scale: Scale,
    number: Option<Number>,
    level: Level,
    now: u64,
}

impl Scale {
    #[inline]
    fn of(limit: &Limit) -> Self {
        let rate = limit.rate();
        let period_ms = signed(rate.period_ms);
        let (per_unit, tick_ms) = if limit.refills_by_interval() { (1, period_ms) } else { (period_ms, 1) };
        Self { per_unit, per_tick: i64::from(rate.tokens), tick_ms }
    }

    /// The level that a number stores.
    #[inline]
    fn level(&self, number: Number, now: u64) -> Level {
        let end = signed(number.deadline);
        let elapsed_ms = signed(now) - (end - signed(number.value / UNITS));
        let units = number.value % UNITS;
        let leaked = self.ticks(elapsed_ms).0.saturating_mul(self.per_tick);
        // The product is below 2^62. So saturation affects only levels that are empty or too high for any limit.
        let grains = (signed(units) * self.per_unit).saturating_sub(leaked);
        if grains <= 0 {
            return Level::default();
        }
        Level { units, elapsed_ms, end, grains }
    }

    /// The time in ms until `grains` grains have leaked.
    #[inline]
    fn leak_time(&self, grains: i64, elapsed_ms: i64) -> u64 {
        let ms = rounded_up(grains, self.per_tick).saturating_mul(self.tick_ms) - self.ticks(elapsed_ms).1;
        ms.unsigned_abs().min(LONGEST_MS)
    }

    /// Whole ticks, and the ms since the last tick. The common case of 1 ms needs no division.
    #[inline]
    fn ticks(&self, elapsed_ms: i64) -> (i64, i64) {
        if self.tick_ms == 1 {
            return (elapsed_ms, 0);
        }
        (elapsed_ms.div_euclid(self.tick_ms), elapsed_ms.rem_euclid(self.tick_ms))
    }
}

#[inline]
fn rounded_up(grains: i64, by: i64) -> i64 {
    grains / by + i64::from(grains % by > 0)
}

impl Bucket<'_> {
    #[inline]
    fn capacity(&self) -> i64 {
        i64::from(self.limit.capacity()) * self.scale.per_unit
    }

    /// Whether the bucket is empty before the end of its state.
    #[inline]
    fn leaks_by_the_end(&self) -> bool {
        let Level { elapsed_ms, end, grains, .. } = self.level;
        let left_ms = end.saturating_sub(signed(self.now)).saturating_add(self.scale.ticks(elapsed_ms).1);
        self.scale.ticks(left_ms).0.saturating_mul(self.scale.per_tick) >= grains
    }

    /// The number of the bucket with its anchor moved forward by whole periods.
    #[cold]
    fn anchored_later(&self, anchor: i64) -> Number {
        let (rate, level) = (self.limit.rate(), self.level);
        let periods = level.elapsed_ms.max(0) / signed(rate.period_ms);
        let leaked = periods.unsigned_abs().saturating_mul(rate.tokens.into());
        let anchor = anchor + periods * signed(rate.period_ms);
        anchored(self.limit, level.units.saturating_sub(leaked), anchor, self.reset_ms(), self.now)
    }
}

impl<'l> NumberAlgorithm<'l> for Bucket<'l> {
    #[inline]
    fn read(limit: &'l Limit, number: Option<Number>, now: u64) -> Self {
        let scale = Scale::of(limit);
        let level = number.map_or_else(Level::default, |number| scale.level(number, now));
        Self { limit, scale, number, level, now }
    }

    #[inline]
    fn wait_ms(&self, cost: i64, keeps: bool) -> Option<u64> {
        if cost > i64::from(self.limit.capacity()) {
            return None;
        }
        if self.limit.is_queue() {
            let Level { grains, elapsed_ms, .. } = self.level;
            if keeps && cost > self.room() {
                let last = grains.saturating_add((cost - 1) * self.scale.per_unit);
                return Some(self.scale.leak_time(last, elapsed_ms));
            }
            return Some(self.reset_ms());
        }
        let free = self.capacity() - self.level.grains;
        let short = (cost * self.scale.per_unit).saturating_sub(free);
        Some(if short > 0 { self.scale.leak_time(short, self.level.elapsed_ms) } else { 0 })
    }

    #[inline]
    fn room(&self) -> i64 {
        let Scale { per_unit, per_tick, .. } = self.scale;
        if self.limit.is_queue() {
            let waiting = signed(self.limit.wait_ms()).saturating_mul(per_tick) - self.level.grains;
            return waiting.div_euclid(per_unit) + 1;
        }
        (self.capacity() - self.level.grains).div_euclid(per_unit)
    }

    #[inline]
    fn reset_ms(&self) -> u64 {
        let Level { grains, elapsed_ms, .. } = self.level;
        if grains == 0 { 0 } else { self.scale.leak_time(grains, elapsed_ms) }
    }

    #[inline]
    fn charge(&mut self, cost: u32, _: u64) -> Number {
        let anchor = signed(self.now) - self.level.elapsed_ms;
        let lives_on = self.level.end == own_end(self.limit, anchor);
        self.level.units += u64::from(cost);
        self.level.grains = self.level.grains.saturating_add(i64::from(cost) * self.scale.per_unit);
        match self.number {
            Some(number) if lives_on && self.leaks_by_the_end() && self.level.units < UNITS => {
                Number { value: number.value + u64::from(cost), ..number }
            }
            _ => self.anchored_later(anchor),
        }
    }
}

/// The end of a state with this anchor, if the bucket is empty before that time.
#[inline]
fn own_end(limit: &Limit, anchor: i64) -> i64 {
    anchor.saturating_add(signed(limit.life_ms()))
}

/// The number of a bucket with this anchor, which will be empty after `reset_ms`.
fn anchored(limit: &Limit, units: u64, anchor: i64, reset_ms: u64, now: u64) -> Number {
    let empty = signed(now).saturating_add(signed(reset_ms));
    let end = match own_end(limit, anchor) {
        end if end >= empty => end,
        _ => empty.min(anchor.saturating_add(LONGEST_LIFE_MS)),
    };
    let life_ms = (end - anchor).unsigned_abs();
    Number { value: life_ms * UNITS + units, deadline: end.unsigned_abs() }
}

/// Gives back units of the charge with this stamp, as `give` in `lua/token_bucket.lua` does. An emptied bucket is removed, so
/// that a clock that steps back does not bring its units back.
pub(super) fn give(limit: &Limit, number: &mut Number, units: u32, stamp: u64, now: u64) -> u32 {
    let bucket = Bucket::read(limit, Some(*number), now);
    if bucket.level.grains == 0 {
        return 0;
    }
    let (scale, level, reset) = (&bucket.scale, bucket.level, signed(bucket.reset_ms()));
    let left = signed(stamp) - signed(now);
    let only_last = limit.is_queue() || level.grains > bucket.capacity();
    if left <= 0 || (only_last && left != reset) {
        return 0;
    }
    let mut units = i64::from(units);
    if limit.refills_by_interval() {
        let steps = left.saturating_add(level.elapsed_ms.rem_euclid(scale.tick_ms)) / scale.tick_ms;
        units = units.min(steps.saturating_mul(scale.per_tick));
        if units <= 0 {
            return 0;
        }
    } else if left.saturating_mul(scale.per_tick) < units.saturating_mul(scale.per_unit) && left < reset {
        // Computes the level that remains after `left` more ms.
        let anchor = signed(now) - level.elapsed_ms - left;
        *number = anchored(limit, level.units, anchor, (reset - left).unsigned_abs(), now);
        return u32::try_from(rounded_up(left * scale.per_tick, scale.per_unit)).unwrap_or(u32::MAX);
    }
    if units.saturating_mul(scale.per_unit) >= level.grains {
        number.deadline = 0;
        units = rounded_up(level.grains, scale.per_unit);
    } else {
        // After a step back of the clock, the level can be above the units that are stored.
        units = units.min(signed(level.units));
        number.value -= units.unsigned_abs();
    }
    u32::try_from(units).unwrap_or(u32::MAX)
}

/// The number with an end that a script knows, too: a power of two after the anchor, or the time at which the bucket is empty. `None` if
/// it is empty.
pub(super) fn expiring(limit: &Limit, number: Number, now: u64) -> Option<Number> {
    // A limit without a rate never leaks, and its requests do not look at the level.
    if (number.value / UNITS).is_power_of_two() || limit.refuses_all() {
        return Some(number);
    }
    let bucket = Bucket::read(limit, Some(number), now);
    let reset_ms = bucket.reset_ms();
    let deadline = now + reset_ms.min(LONGEST_LIFE_MS.unsigned_abs());
    let life_ms = deadline - (number.deadline - number.value / UNITS);
    (reset_ms > 0).then_some(Number { value: life_ms * UNITS + number.value % UNITS, deadline })
}

/// The number of a bucket that is used up for `ms` ms. `None` if it is used up for longer already.
pub(super) fn used_up(limit: &Limit, number: Option<Number>, ms: u64, now: u64) -> Option<Number> {
    let (bucket, units) =
        (Bucket::read(limit, number, now), if limit.is_queue() { 0 } else { limit.capacity() });
    let elapsed_ms = -signed(ms);
    let leaked = bucket.scale.ticks(elapsed_ms).0.saturating_mul(bucket.scale.per_tick);
    let grains = (i64::from(units) * bucket.scale.per_unit).saturating_sub(leaked);
    let reset_ms = bucket.scale.leak_time(grains, elapsed_ms);
    (bucket.level.grains < grains).then(|| anchored(limit, units.into(), signed(now + ms), reset_ms, now))
}

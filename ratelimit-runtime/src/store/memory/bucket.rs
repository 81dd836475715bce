//! Token bucket and leaky bucket: the twin of `lua/token_bucket.lua` and `lua/leaky_bucket.lua`, with the same state.
//! `lua/token_bucket.lua` explains the arithmetic with an example.
//!
//! A number's value is `life_ms * 2^27 + units`, where `life_ms` is the time from the anchor to the end of the state. Its
//! deadline is 1 ms after that end, because a key in Redis exists until its end has passed. The level is computed in whole
//! grains and ticks, so every rational rate is exact:
//!
//! | | tick | grains in a unit | grains that leak in a tick |
//! |---|---|---|---|
//! | continuous | 1 ms | `period_ms` | `tokens` |
//! | by interval | `period_ms` | 1 | `tokens` |

use super::shard::Number;
use super::verdict::{Verdict, Wait, signed};
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

/// The units that were charged since the anchor, the time since then, which is negative after a step back of the clock, and
/// the end of the state. All zero if the bucket is empty.
#[derive(Clone, Copy, Default)]
struct Bucket {
    units: u64,
    elapsed_ms: i64,
    end: i64,
}

impl Scale {
    fn of(limit: &Limit) -> Self {
        let rate = limit.rate();
        let period_ms = signed(rate.period_ms);
        let (per_unit, tick_ms) = if limit.refills_by_interval() { (1, period_ms) } else { (period_ms, 1) };
        Self { per_unit, per_tick: i64::from(rate.tokens), tick_ms }
    }

    /// The level in grains.
    fn level(&self, bucket: &Bucket) -> i64 {
        let ticks = i128::from(self.ticks(bucket.elapsed_ms).0);
        let level = i128::from(bucket.units) * i128::from(self.per_unit) - ticks * i128::from(self.per_tick);
        i64::try_from(level).unwrap_or(if level < 0 { i64::MIN } else { i64::MAX })
    }

    /// The time in ms until `grains` grains have leaked.
    fn leak_time(&self, grains: i64, elapsed_ms: i64) -> u64 {
        let ms = rounded_up(grains, self.per_tick).saturating_mul(self.tick_ms) - self.ticks(elapsed_ms).1;
        ms.unsigned_abs().min(LONGEST_MS)
    }

    /// Whole ticks, and the ms since the last tick. The common case of 1 ms needs no division.
    fn ticks(&self, elapsed_ms: i64) -> (i64, i64) {
        if self.tick_ms == 1 {
            return (elapsed_ms, 0);
        }
        (elapsed_ms.div_euclid(self.tick_ms), elapsed_ms.rem_euclid(self.tick_ms))
    }
}

fn rounded_up(grains: i64, by: i64) -> i64 {
    grains / by + i64::from(grains % by > 0)
}

fn read(scale: &Scale, number: Option<Number>, now: u64) -> Bucket {
    let Some(number) = number else { return Bucket::default() };
    let end = signed(number.deadline) - 1;
    let anchor = end - signed(number.value / UNITS);
    let bucket = Bucket { units: number.value % UNITS, elapsed_ms: signed(now) - anchor, end };
    if scale.level(&bucket) > 0 { bucket } else { Bucket::default() }
}

/// The end of a state with this anchor: the end of the eighth cell from the one of the anchor. Cells have a length of 64, 96,
/// 128, 192, 256, 384 .. ms; the limit uses the longest for which eight are at most two periods and one second.
fn grid_end(limit: &Limit, scale: &Scale, anchor: i64) -> i64 {
    let full_ms = scale.leak_time(i64::from(limit.capacity()) * scale.per_unit, 0);
    let longest = (2 * full_ms.max(limit.wait_ms()) + 1000) / 256;
    let half = 1 << (longest.ilog2() - 1);
    let cell = signed(longest / half * half) * 32;
    (anchor.div_euclid(cell) + 8).saturating_mul(cell)
}

pub(super) fn judge(limit: &Limit, number: Option<Number>, cost: u32, now: u64) -> Verdict {
    let scale = Scale::of(limit);
    let bucket = read(&scale, number, now);
    let level = scale.level(&bucket);
    let reset_ms = if level > 0 { scale.leak_time(level, bucket.elapsed_ms) } else { 0 };
    let fits = |wait| if cost > limit.capacity() { Wait::Never } else { Wait::Millis(wait) };
    if limit.is_queue() {
        let waiting = signed(limit.wait_ms()).saturating_mul(scale.per_tick) - level;
        return Verdict { wait: fits(reset_ms), room: waiting.div_euclid(scale.per_unit) + 1, reset_ms };
    }
    let room = i64::from(limit.capacity()) * scale.per_unit - level;
    let short = i64::from(cost).saturating_mul(scale.per_unit).saturating_sub(room);
    let wait = if short > 0 { scale.leak_time(short, bucket.elapsed_ms) } else { 0 };
    Verdict { wait: fits(wait), room: room.div_euclid(scale.per_unit), reset_ms }
}

pub(super) fn charge(limit: &Limit, number: Option<Number>, cost: u32, now: u64) -> (Number, u64) {
    let scale = Scale::of(limit);
    let before = read(&scale, number, now);
    let bucket = Bucket { units: before.units + u64::from(cost), ..before };
    let reset_ms = scale.leak_time(scale.level(&bucket), bucket.elapsed_ms);
    let anchor = signed(now) - bucket.elapsed_ms;
    let lives_on = before.units > 0
        && bucket.end == grid_end(limit, &scale, anchor)
        && signed(now).saturating_add(signed(reset_ms)) <= bucket.end
        && bucket.units < UNITS;
    match number {
        Some(number) if lives_on => (Number { value: number.value + u64::from(cost), ..number }, reset_ms),
        _ => {
            let rate = limit.rate();
            let periods = bucket.elapsed_ms.max(0) / signed(rate.period_ms);
            let leaked = u64::try_from(periods).unwrap_or(0).saturating_mul(rate.tokens.into());
            let (units, anchor) =
                (bucket.units.saturating_sub(leaked), anchor + periods * signed(rate.period_ms));
            (anchored(limit, &scale, units, anchor, reset_ms, now), reset_ms)
        }
    }
}

/// The number of a bucket with this anchor, which will be empty after `reset_ms`.
fn anchored(limit: &Limit, scale: &Scale, units: u64, anchor: i64, reset_ms: u64, now: u64) -> Number {
    let empty = signed(now).saturating_add(signed(reset_ms));
    let end = match grid_end(limit, scale, anchor) {
        end if end >= empty => end,
        _ => empty.min(anchor.saturating_add(LONGEST_LIFE_MS)),
    };
    let life_ms = (end - anchor).unsigned_abs();
    Number { value: life_ms * UNITS + units, deadline: end.unsigned_abs().saturating_add(1) }
}

/// Gives back units of the charge with this stamp, as `give` in `lua/token_bucket.lua` does. An emptied bucket is removed, so
/// that a clock that steps back does not bring its units back.
pub(super) fn give(limit: &Limit, number: &mut Number, units: u32, stamp: u64, now: u64) -> u32 {
    let scale = Scale::of(limit);
    let bucket = read(&scale, Some(*number), now);
    let level = scale.level(&bucket);
    if level <= 0 {
        return 0;
    }
    let reset = signed(scale.leak_time(level, bucket.elapsed_ms));
    let left = signed(stamp) - signed(now);
    let only_last = limit.is_queue() || level > i64::from(limit.capacity()) * scale.per_unit;
    if left <= 0 || (only_last && left != reset) {
        return 0;
    }
    let mut units = i64::from(units);
    if limit.refills_by_interval() {
        let steps = left.saturating_add(bucket.elapsed_ms.rem_euclid(scale.tick_ms)) / scale.tick_ms;
        units = units.min(steps.saturating_mul(scale.per_tick));
        if units <= 0 {
            return 0;
        }
    } else if left.saturating_mul(scale.per_tick) < units.saturating_mul(scale.per_unit) && left < reset {
        // As if `left` ms more had passed.
        let anchor = signed(now) - bucket.elapsed_ms - left;
        *number = anchored(limit, &scale, bucket.units, anchor, (reset - left).unsigned_abs(), now);
        return u32::try_from(rounded_up(left * scale.per_tick, scale.per_unit)).unwrap_or(u32::MAX);
    }
    if units.saturating_mul(scale.per_unit) >= level {
        number.deadline = 0;
        units = rounded_up(level, scale.per_unit);
    } else {
        // After a step back of the clock, the level can be above the units that are stored.
        units = units.min(signed(bucket.units));
        number.value -= units.unsigned_abs();
    }
    u32::try_from(units).unwrap_or(u32::MAX)
}

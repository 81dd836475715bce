//! Buckets: exact for every rational rate. The twin of `lua/bucket.lua`, `lua/token_bucket.lua` and
//! `lua/leaky_bucket.lua`, with the same state.
//!
//! A number's value is `life_s * 2^27 + units`; the anchor is `life_s` seconds before its deadline, and `units` were
//! charged since. What has leaked since is counted in ticks, so that nothing is ever rounded away:
//!
//! | | tick | a unit is | a tick leaks |
//! |---|---|---|---|
//! | continuous | 1 ms | `period_ms` grains | `tokens` grains |
//! | by interval | `period_ms` | 1 grain | `tokens` grains |

use super::number::Number;
use super::verdict::{Verdict, Wait, same, signed};
use crate::limit::Limit;

const UNITS: u64 = 1 << 27;
/// The longest life of a number, and the longest time that a decision names, as in the scripts.
const LONGEST_LIFE_MS: i64 = ((1 << 26) - 1) * 1000;
const LONGEST_MS: u64 = (1 << 53) - 3;

/// The units of a limit in grains and ticks.
struct Grain {
    per_unit: i64,
    per_tick: i64,
    tick_ms: i64,
}

/// A bucket with something in it: units charged since the anchor, and the time since then (negative after a step back of
/// the clock).
#[derive(Clone, Copy, Default)]
struct Bucket {
    units: u64,
    elapsed_ms: i64,
    ttl_ms: u64,
}

impl Grain {
    fn of(limit: &Limit) -> Self {
        let rate = limit.rate();
        let period_ms = signed(rate.period_ms);
        let (per_unit, tick_ms) = if limit.refills_by_interval() { (1, period_ms) } else { (period_ms, 1) };
        Self { per_unit, per_tick: i64::from(rate.tokens), tick_ms }
    }

    /// What is in use, in grains.
    fn level(&self, bucket: &Bucket) -> i64 {
        let ticks = i128::from(self.ticks(bucket.elapsed_ms).0);
        let level = i128::from(bucket.units) * i128::from(self.per_unit) - ticks * i128::from(self.per_tick);
        i64::try_from(level).unwrap_or(if level < 0 { i64::MIN } else { i64::MAX })
    }

    /// Until so many grains have leaked, in ms.
    fn drained(&self, grains: i64, elapsed_ms: i64) -> u64 {
        let ms = rounded_up(grains, self.per_tick).saturating_mul(self.tick_ms) - self.ticks(elapsed_ms).1;
        ms.unsigned_abs().min(LONGEST_MS)
    }

    /// Whole ticks, and the ms since the last one. Divisions are dear, and most ticks are 1 ms.
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

fn open(grain: &Grain, number: Option<Number>, now: u64) -> Bucket {
    let Some(number) = number else { return Bucket::default() };
    let ttl_ms = number.deadline - now;
    let elapsed_ms = signed(number.value / UNITS * 1000) - signed(ttl_ms);
    let bucket = Bucket { units: number.value % UNITS, elapsed_ms, ttl_ms };
    if grain.level(&bucket) > 0 { bucket } else { Bucket::default() }
}

pub(super) fn judge(limit: &Limit, number: Option<Number>, cost: u32, now: u64) -> Verdict {
    let grain = Grain::of(limit);
    let bucket = open(&grain, number, now);
    let level = grain.level(&bucket);
    let reset_ms = if level > 0 { grain.drained(level, bucket.elapsed_ms) } else { 0 };
    let fits = |wait| if cost > limit.capacity() { Wait::Never } else { Wait::Millis(wait) };
    if limit.is_queue() {
        let waiting = signed(limit.wait_ms()).saturating_mul(grain.per_tick) - level;
        return Verdict { wait: fits(reset_ms), room: waiting.div_euclid(grain.per_unit) + 1, reset_ms };
    }
    let room = i64::from(limit.capacity()) * grain.per_unit - level;
    let short = i64::from(cost).saturating_mul(grain.per_unit).saturating_sub(room);
    let wait = if short > 0 { grain.drained(short, bucket.elapsed_ms) } else { 0 };
    Verdict { wait: fits(wait), room: room.div_euclid(grain.per_unit), reset_ms }
}

pub(super) fn charge(limit: &Limit, number: Option<Number>, cost: u32, now: u64) -> (Number, u64) {
    let grain = Grain::of(limit);
    let before = open(&grain, number, now);
    let bucket = Bucket { units: before.units + u64::from(cost), ..before };
    let reset_ms = grain.drained(grain.level(&bucket), bucket.elapsed_ms);
    let full_ms = grain.drained(i64::from(limit.capacity()) * grain.per_unit, 0);
    let longest = 2 * full_ms.max(limit.wait_ms());
    let kept = reset_ms <= bucket.ttl_ms && bucket.ttl_ms <= longest + 1000 && bucket.units < UNITS;
    let number = match number {
        Some(number) if kept => Number { value: number.value + u64::from(cost), ..number },
        _ => anchor(limit, bucket, reset_ms, (reset_ms + full_ms).min(longest.max(reset_ms)), now),
    };
    (number, reset_ms)
}

/// Moves the anchor forward by whole periods, after which the level is the same, and lets the bucket live for `lives_ms`, or
/// the longest life.
fn anchor(limit: &Limit, bucket: Bucket, reset_ms: u64, lives_ms: u64, now: u64) -> Number {
    let rate = limit.rate();
    let mut periods = bucket.elapsed_ms.max(0) / signed(rate.period_ms);
    let since = |periods: i64| bucket.elapsed_ms - periods * signed(rate.period_ms);
    // Only a level above two periods can take that long to leak: one period in the future, the anchor keeps it.
    if since(periods) + signed(reset_ms) > LONGEST_LIFE_MS {
        periods += 1;
    }
    let leaked = u64::try_from(periods).unwrap_or(0).saturating_mul(rate.tokens.into());
    let (units, elapsed_ms) = (bucket.units.saturating_sub(leaked), since(periods));
    let lives_ms = (elapsed_ms + signed(lives_ms)).clamp(0, LONGEST_LIFE_MS);
    let life_s = lives_ms.unsigned_abs().div_ceil(1000);
    let ttl_ms = signed(life_s * 1000) - elapsed_ms;
    Number { value: life_s * UNITS + units, deadline: now + ttl_ms.unsigned_abs() }
}

/// What was charged first leaks first. An emptied bucket is gone, also for a clock that steps back.
pub(super) fn give(limit: &Limit, number: &mut Number, units: u32, stamp: u64, now: u64) -> u32 {
    let grain = Grain::of(limit);
    let bucket = open(&grain, Some(*number), now);
    let level = grain.level(&bucket);
    if level <= 0 {
        return 0;
    }
    let reset = signed(grain.drained(level, bucket.elapsed_ms));
    let tick = grain.tick_ms.unsigned_abs();
    let left = signed(stamp) - signed(now);
    let last = stamp >= now
        && same(stamp - now, reset.unsigned_abs(), if limit.refills_by_interval() { tick } else { 3 });
    let left = if last { reset } else { left };
    let strictly = limit.is_queue() || level > i64::from(limit.capacity()) * grain.per_unit;
    if left <= 0 || (strictly && !last) {
        return 0;
    }
    let mut units = i64::from(units);
    if limit.refills_by_interval() {
        let slack = if tick < 3 { grain.tick_ms - 1 } else { 2 };
        let steps = left.saturating_add(bucket.elapsed_ms.rem_euclid(grain.tick_ms) + slack) / grain.tick_ms;
        units = units.min(steps.saturating_mul(grain.per_tick));
        if units <= 0 {
            return 0;
        }
    } else if left.saturating_mul(grain.per_tick) < units.saturating_mul(grain.per_unit) && left < reset {
        if left.unsigned_abs() >= bucket.ttl_ms {
            return 0;
        }
        number.deadline -= left.unsigned_abs();
        return u32::try_from(rounded_up(left * grain.per_tick, grain.per_unit)).unwrap_or(u32::MAX);
    }
    if units.saturating_mul(grain.per_unit) >= level {
        number.deadline = 0;
        units = rounded_up(level, grain.per_unit);
    } else {
        // A clock that has stepped back raises the level above the units that are there.
        units = units.min(signed(bucket.units));
        number.value -= units.unsigned_abs();
    }
    u32::try_from(units).unwrap_or(u32::MAX)
}

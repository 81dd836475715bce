//! The token bucket: exact for every rational rate. The twin of `lua/token_bucket.lua`, with the same state.
//!
//! A cell's value is `life_s * 2^27 + units`; the anchor is `life_s` seconds before the cell's deadline, and `units`
//! were charged since. What has come back since is counted in ticks, so that nothing is ever rounded away:
//!
//! | | tick | a token is | a tick gives back |
//! |---|---|---|---|
//! | continuous | 1 ms | `period_ms` grains | `tokens` grains |
//! | by interval | `period_ms` | 1 grain | `tokens` grains |

use super::{Cell, Verdict, Wait};
use crate::limit::Limit;

const UNITS: u64 = 1 << 27;

/// The units of a limit in grains and ticks.
struct Grain {
    per_token: i64,
    per_tick: i64,
    tick_ms: i64,
}

/// A bucket that is not full: tokens charged since the anchor, and the time since then (negative after a step back
/// of the clock).
#[derive(Clone, Copy)]
struct Bucket {
    units: u64,
    elapsed_ms: i64,
    ttl_ms: u64,
}

impl Grain {
    fn of(limit: &Limit) -> Self {
        let rate = limit.rate();
        let period_ms = signed(rate.period_ms);
        let (per_token, tick_ms) = if limit.refills_by_interval() { (1, period_ms) } else { (period_ms, 1) };
        Self { per_token, per_tick: i64::from(rate.tokens), tick_ms }
    }

    /// What is in use, in grains.
    fn level(&self, bucket: &Bucket) -> i64 {
        let ticks = i128::from(bucket.elapsed_ms.div_euclid(self.tick_ms));
        let level = i128::from(bucket.units) * i128::from(self.per_token) - ticks * i128::from(self.per_tick);
        i64::try_from(level).unwrap_or(if level < 0 { i64::MIN } else { i64::MAX })
    }

    /// Until so many grains have come back, in ms.
    fn drained(&self, grains: i64, elapsed_ms: i64) -> u64 {
        let ticks = grains / self.per_tick + i64::from(grains % self.per_tick != 0);
        let ms = ticks.saturating_mul(self.tick_ms) - elapsed_ms.rem_euclid(self.tick_ms);
        ms.unsigned_abs()
    }

    fn tokens(&self, grains: i64) -> u32 {
        u32::try_from((grains / self.per_token).max(0)).unwrap_or(u32::MAX)
    }
}

fn open(limit: &Limit, grain: &Grain, cell: Option<Cell>, now: u64) -> Option<Bucket> {
    let cell = cell?;
    let ttl_ms = cell.deadline - now;
    let elapsed_ms = signed(cell.value / UNITS * 1000) - signed(ttl_ms);
    let bucket = Bucket { units: cell.value % UNITS, elapsed_ms, ttl_ms };
    debug_assert!(!limit.refuses_all());
    (grain.level(&bucket) > 0).then_some(bucket)
}

pub(super) fn judge(limit: &Limit, cell: Option<Cell>, cost: u32, now: u64) -> Verdict {
    let grain = Grain::of(limit);
    let bucket = open(limit, &grain, cell, now);
    let (level, elapsed_ms) = bucket.map_or((0, 0), |bucket| (grain.level(&bucket), bucket.elapsed_ms));
    let room = i64::from(limit.capacity()) * grain.per_token - level;
    let short = i64::from(cost).saturating_mul(grain.per_token).saturating_sub(room);
    let wait = if cost > limit.capacity() {
        Wait::Never
    } else if short > 0 {
        Wait::Millis(grain.drained(short, elapsed_ms))
    } else {
        Wait::None
    };
    let reset_ms = if level > 0 { grain.drained(level, elapsed_ms) } else { 0 };
    Verdict { wait, remaining: grain.tokens(room), reset_ms }
}

pub(super) fn charge(limit: &Limit, cell: Option<Cell>, cost: u32, now: u64) -> (Cell, u64) {
    let grain = Grain::of(limit);
    let before = open(limit, &grain, cell, now).unwrap_or(Bucket { units: 0, elapsed_ms: 0, ttl_ms: 0 });
    let bucket = Bucket { units: before.units + u64::from(cost), ..before };
    let reset_ms = grain.drained(grain.level(&bucket), bucket.elapsed_ms);
    let full_ms = grain.drained(i64::from(limit.capacity()) * grain.per_token, 0);
    let kept = reset_ms <= bucket.ttl_ms && bucket.ttl_ms <= 2 * full_ms + 1000 && bucket.units < UNITS;
    let cell = match cell {
        Some(cell) if kept => Cell { value: cell.value + u64::from(cost), deadline: cell.deadline },
        _ => anchor(limit, bucket, reset_ms + full_ms, now),
    };
    (cell, reset_ms)
}

/// Moves the anchor forward by whole periods, after which the level is the same, and lets the bucket live for so long.
fn anchor(limit: &Limit, bucket: Bucket, lives_ms: u64, now: u64) -> Cell {
    let rate = limit.rate();
    let periods = bucket.elapsed_ms.max(0) / signed(rate.period_ms);
    let units = bucket.units - u64::try_from(periods).unwrap_or(0) * u64::from(rate.tokens);
    let elapsed_ms = bucket.elapsed_ms - periods * signed(rate.period_ms);
    let life_s = (elapsed_ms + signed(lives_ms)).max(0).unsigned_abs().div_ceil(1000);
    let ttl_ms = signed(life_s * 1000) - elapsed_ms;
    Cell { value: life_s * UNITS + units, deadline: now + ttl_ms.unsigned_abs() }
}

/// Times and counts of a limit are far below 2^63.
fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

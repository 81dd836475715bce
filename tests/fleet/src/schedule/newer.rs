//! Draws blocks, windows of the calendar and units for others, with random numbers of their own: all other runs stay as they were.

use crate::schedule::{Call, Kind};
use fastrand::Rng;
use ratelimit::Limit;
use ratelimit::per::Calendar;
use std::time::Duration;

/// What a run has of these.
pub(super) struct Newer {
    random: Rng,
    /// The first limit.
    pub(super) first: Option<Limit>,
    keeps: bool,
}

impl Newer {
    pub(super) fn of(seed: u64) -> Self {
        let mut random = Rng::with_seed(!seed);
        let what = random.u8(..16);
        let first = match what {
            0 => Some(blocking(&mut random)),
            1 => Some(of_the_calendar(&mut random)),
            _ => None,
        };
        Self { random, first, keeps: (1..5).contains(&what) }
    }

    /// A third of the calls of some runs without blocks leaves units to others.
    pub(super) fn keep(&mut self, call: Call) -> Call {
        let may_keep = self.keeps && !matches!(call.kind, Kind::Stack { .. }) && self.random.u8(..3) == 0;
        Call { keep: if may_keep { self.random.u32(1..=4) } else { 0 }, ..call }
    }
}

/// A limit whose blocks last longer than any other refusal, so that each `retry_after` is the end of a block.
fn blocking(random: &mut Rng) -> Limit {
    let (count, time) = (random.u32(1..=4), Duration::from_millis(random.u64(50..400)));
    let limit = match random.u8(..4) {
        0 | 1 => Limit::counter(count, time),
        2 => Limit::token_bucket(count, time),
        _ => Limit::sliding_window(count, time),
    };
    let steps = [1, 2, 4].map(Duration::from_secs);
    limit.try_block(&steps[..random.usize(1..=3)]).unwrap_or(limit)
}

/// A limit whose window ends at any time, or soon: a run starts with a year in UTC, so that it is the last minute of December west of it.
fn of_the_calendar(random: &mut Rng) -> Limit {
    let minutes = if random.bool() { random.u32(1..=2) } else { random.u32(..24 * 60) };
    let zone = format!("-{:02}:{:02}", minutes / 60, minutes % 60);
    let window = *random.choice(&Calendar::ALL).unwrap_or(&Calendar::Day);
    Limit::calendar(random.u32(1..=12), window).zone(&zone)
}

//! Draws blocks, calendar windows, and units that calls leave to others. Uses separate random numbers, so that all other runs
//! stay the same.

use crate::schedule::{Call, Kind};
use fastrand::Rng;
use ratelimit::Limit;
use ratelimit::per::Calendar;
use std::time::Duration;

/// The features that this module draws for a run.
pub(super) struct Newer {
    random: Rng,
    /// A limit that replaces the first limit of the run.
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

    /// In some runs without blocks, lets a third of the calls leave units to others.
    pub(super) fn keep(&mut self, call: Call) -> Call {
        let may_keep = self.keeps && !matches!(call.kind, Kind::Stack { .. }) && self.random.u8(..3) == 0;
        Call { keep: if may_keep { self.random.u32(1..=4) } else { 0 }, ..call }
    }
}

/// Draws a limit whose blocks last longer than any other refusal, so that each long `retry_after` shows a block.
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

/// Draws a limit whose calendar window ends soon or at any time. A run starts at the beginning of a year in UTC. In a time zone
/// west of UTC, it is still the last day of December.
fn of_the_calendar(random: &mut Rng) -> Limit {
    let minutes = if random.bool() { random.u32(1..=2) } else { random.u32(..24 * 60) };
    let zone = format!("-{:02}:{:02}", minutes / 60, minutes % 60);
    let window = *random.choice(&Calendar::ALL).unwrap_or(&Calendar::Day);
    Limit::calendar(random.u32(1..=12), window).zone(&zone)
}

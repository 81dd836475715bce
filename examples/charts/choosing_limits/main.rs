//! Draws `choosing_limits.svg`: the calls that each of five limits admits, from the same offered calls. The time is
//! simulated. `ratelimit simulate` shows the same numbers in a terminal.

#[path = "../canvas.rs"]
#[allow(dead_code, unused_imports, reason = "each example draws with a part of it")]
mod canvas;
mod chart;

use ratelimit::clock::ManualClock;
use ratelimit::store::{Mode, Request, Store, StoreKey};
use ratelimit::{Limit, MemoryStore};
use std::collections::VecDeque;
use std::error::Error;
use std::time::Duration;

const MINUTE: Duration = Duration::from_secs(60);

/// The simulated time, and the length of one part of it, in milliseconds.
const LENGTH: u32 = 300_000;
const PART: u32 = 5000;

/// The number of parts.
const PARTS: usize = 60;

/// The decisions of one limit.
struct Decided {
    limit: Limit,
    /// The admitted calls, by the part of the time in which they start.
    admitted: [u32; PARTS],
    /// The most calls that start within any minute.
    worst: usize,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "choosing_limits.svg".to_owned());
    std::fs::write(&path, drawn().await?)?;
    Ok(())
}

/// Returns the picture as the text of an SVG file.
async fn drawn() -> Result<String, Box<dyn Error>> {
    let mut all = Vec::new();
    for limit in [
        Limit::counter(100, MINUTE),
        Limit::sliding_window(100, MINUTE),
        Limit::sliding_log(100, MINUTE),
        Limit::token_bucket(100, MINUTE).burst(20),
        Limit::leaky_bucket(100, MINUTE).wait(MINUTE / 3),
    ] {
        all.push(decided(limit).await?);
    }
    let mut offered = [0; PARTS];
    calls().for_each(|at| offered[part(at)] += 1);
    chart::draw(&offered, &all)
}

/// Returns the times of all calls in milliseconds: 48 calls per minute, and 80 more every 55 seconds.
fn calls() -> impl Iterator<Item = u32> {
    (0..LENGTH).step_by(1250).flat_map(|at| {
        let burst = if at.is_multiple_of(55_000) { 80 } else { 0 };
        (0..=burst).map(move |_| at)
    })
}

/// Returns the index of the part that contains a time.
fn part(at: u32) -> usize {
    usize::try_from(at / PART).unwrap_or(usize::MAX)
}

async fn decided(limit: Limit) -> Result<Decided, ratelimit::Error> {
    let clock = ManualClock::new();
    let store = MemoryStore::with_clock(clock.clone());
    let request = Request::new(StoreKey::new(b"caller"), limit, 1);
    let (mut admitted, mut worst, mut recent) = ([0; PARTS], 0, VecDeque::new());
    for at in calls() {
        clock.set(Duration::from_millis(at.into()));
        // A call that may wait reserves its turn.
        let decision = store.decide(Mode::Charge, &[&request]).await?[0];
        if !decision.is_allowed() {
            continue;
        }
        let start = Duration::from_millis(at.into()) + decision.delay();
        if let Some(calls) = admitted.get_mut(part(u32::try_from(start.as_millis()).unwrap_or(u32::MAX))) {
            *calls += 1;
        }
        recent.push_back(start);
        while recent.front().is_some_and(|first| start.saturating_sub(*first) >= MINUTE) {
            recent.pop_front();
        }
        worst = worst.max(recent.len());
    }
    Ok(Decided { limit, admitted, worst })
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn the_guide_has_this_picture() {
        let shown = include_str!("../../../ratelimit-runtime/docs/choosing_limits.svg");
        let drawn = super::drawn().await.unwrap();
        assert!(drawn == shown, "choosing_limits.svg is old: run this example with its path");
    }
}

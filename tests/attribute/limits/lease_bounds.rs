//! Simulated processes that lease units of one limit. The processes use nearly all units, even if their call rates differ.
//! `tests/fleet` proves that they never exceed the bounds that `docs/leases.md` states.

use crate::harness::{RemoteStore, limiter};
use ratelimit::clock::ManualClock;
use ratelimit::{Limit, RateLimiter};
use support::{MS, SECOND};

const COUNT: u32 = 3200;
const COUNTER: Limit = Limit::counter(COUNT, SECOND);
const BUCKET: Limit = Limit::token_bucket(COUNT, SECOND);

/// Limiters that share a store, like processes on one Redis server.
struct Fleet {
    clock: ManualClock,
    store: RemoteStore,
    processes: Vec<RateLimiter>,
}

impl Fleet {
    async fn of(size: usize) -> Self {
        let clock = ManualClock::new();
        let store = RemoteStore::with_clock(&clock);
        let mut processes = Vec::new();
        for _ in 0..size {
            processes.push(limiter(store.clone()).await);
        }
        Self { clock, store, processes }
    }

    /// Returns the number of admitted calls of each millisecond. `calls` takes a process and a time, and returns how many
    /// calls the process makes.
    async fn passed(&self, limit: Limit, ms: u32, mut calls: impl FnMut(usize, u32) -> u32) -> Vec<u32> {
        let mut passed = Vec::new();
        for now in 0..ms {
            let mut these = 0;
            for (process, limiter) in self.processes.iter().enumerate() {
                for _ in 0..calls(process, now) {
                    these += u32::from(limiter.check(&limit, "k").await.is_ok());
                }
            }
            passed.push(these);
            self.clock.advance(MS);
            tokio::time::advance(MS).await;
        }
        passed
    }
}

/// Returns the largest burst: the maximum, over all intervals, of the admitted calls minus the units that are refilled in
/// the interval.
fn most_at_once(passed: &[u32], per_ms: f64) -> f64 {
    let (mut above, mut most) = (0.0_f64, 0.0_f64);
    for calls in passed {
        above = (above - per_ms).max(0.0) + f64::from(*calls);
        most = most.max(above);
    }
    most
}

/// Calls use half of the refill, so the bucket is nearly full. In the end all processes call at once, and use the full
/// bucket and their leased units.
#[tokio::test(start_paused = true)]
async fn a_full_bucket_and_its_leased_units_are_within_the_bound() {
    for limit in [BUCKET.lease_auto(), BUCKET.lease(COUNT / 2)] {
        let fleet = Fleet::of(12).await;
        let calls = |process: usize, now: u32| {
            let every = 4 + u32::try_from(process).unwrap();
            if now < 3000 { u32::from(now.is_multiple_of(every)) } else { 40 }
        };
        let passed = fleet.passed(limit, 3040, calls).await;
        let (most, count) = (most_at_once(&passed, f64::from(COUNT) / 1000.0), f64::from(COUNT));
        assert!(most >= count * 0.95 && most <= count * 1.25 + 1.0, "{most} at once");
    }
}

/// Returns the calls of one of eight processes with very different rates. The busiest process makes nearly twice as many
/// calls as all others together.
fn unevenly(process: usize, now: u32) -> u32 {
    let every = [1, 2, 3, 5, 40, 90, 200, 700][process];
    let calls = [3, 2, 1, 1, 1, 1, 1, 1][process];
    if now.is_multiple_of(every) { calls } else { 0 }
}

#[tokio::test(start_paused = true)]
async fn uneven_calls_use_nearly_all_units() {
    for limit in [COUNTER, BUCKET] {
        for limit in [limit.lease_auto(), limit.lease(COUNT / 32)] {
            let fleet = Fleet::of(8).await;
            let passed = fleet.passed(limit, 8000, unevenly).await;
            // The first 3 seconds are not counted, because they include the burst of a bucket and the first window of a
            // counter.
            let used: u32 = passed[3000..].iter().sum();
            assert!(used * 100 >= 5 * COUNT * 95, "{used} of {} by {limit}", 5 * COUNT);
        }
    }
}

/// Four processes make ten times as many calls as the limit admits. Each process asks the store about forty times per
/// second, and all units are used.
#[tokio::test(start_paused = true)]
async fn an_overloaded_bucket_is_asked_rarely() {
    let fleet = Fleet::of(4).await;
    let passed = fleet.passed(BUCKET.lease_auto(), 4000, |_, _| 8).await;
    let used: u32 = passed[2000..].iter().sum();
    assert!(used * 100 >= 2 * COUNT * 95, "{used} of {}", 2 * COUNT);
    let asked = fleet.store.take_requests();
    assert!(asked < 4 * 4 * 60, "{asked} requests in four seconds");
}

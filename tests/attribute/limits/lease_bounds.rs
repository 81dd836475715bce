//! Several processes with leases on one limit, by a clock that is moved: what passes is within the bounds exactly,
//! whatever the calls, and nearly all of the limit is used, however uneven they are.

use crate::harness::{RemoteStore, limiter};
use fastrand::Rng;
use ratelimit::{Limit, ManualClock, RateLimiter};
use support::{MS, SECOND};

const COUNT: u32 = 3200;
const COUNTER: Limit = Limit::counter(COUNT, SECOND);
const BUCKET: Limit = Limit::token_bucket(COUNT, SECOND);

/// Processes that share a store.
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

    /// What passes in each millisecond, where `calls` says how many a process makes in it.
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

/// Each process calls so often in a millisecond for a while, and then otherwise.
fn by_fits_and_starts(processes: usize, mut random: Rng) -> impl FnMut(usize, u32) -> u32 {
    let mut rates = vec![0; processes];
    move |process, _| {
        if random.u8(..) == 0 {
            rates[process] = random.choice([0, 0, 1, 3, 40]).unwrap();
        }
        let rate = rates[process];
        if rate == 0 && random.u8(..) < 2 { 1 } else { rate }
    }
}

/// Windows start with the first call that passes.
fn windows_hold(passed: &[u32]) {
    let mut at = 0;
    while let Some(first) = passed[at..].iter().position(|calls| *calls > 0) {
        let end = (at + first + 1000).min(passed.len());
        let window: u32 = passed[at + first..end].iter().sum();
        assert!(window <= COUNT, "{window} in a window");
        at = end;
    }
}

/// The most that has passed in any interval above what comes back in it.
fn most_at_once(passed: &[u32], per_ms: f64) -> f64 {
    let (mut above, mut most) = (0.0_f64, 0.0_f64);
    for calls in passed {
        above = (above - per_ms).max(0.0) + f64::from(*calls);
        most = most.max(above);
    }
    most
}

#[tokio::test(start_paused = true)]
async fn a_counter_never_passes_its_count() {
    for (seed, limit) in
        [(1, COUNTER.lease_auto()), (2, COUNTER.lease(COUNT / 32)), (3, COUNTER.lease(COUNT / 2))]
    {
        let fleet = Fleet::of(24).await;
        windows_hold(&fleet.passed(limit, 4000, by_fits_and_starts(24, Rng::with_seed(seed))).await);
    }
}

/// However many processes there are, a quarter of the burst and no more.
#[tokio::test(start_paused = true)]
async fn a_bucket_passes_its_burst_by_what_comes_back_while_units_are_good() {
    for (seed, limit) in
        [(4, BUCKET.lease_auto()), (5, BUCKET.lease(COUNT / 32)), (6, BUCKET.lease(COUNT / 2))]
    {
        let fleet = Fleet::of(24).await;
        let passed = fleet.passed(limit, 4000, by_fits_and_starts(24, Rng::with_seed(seed))).await;
        let (most, count) = (most_at_once(&passed, f64::from(COUNT) / 1000.0), f64::from(COUNT));
        assert!(most <= count * 1.25 + 1.0, "{most} at once");
    }
}

/// Half of what comes back is used, so the bucket is nearly full, and what is on lease comes on top when all call at
/// once.
#[tokio::test(start_paused = true)]
async fn a_full_bucket_and_what_is_on_lease_are_within_the_bound() {
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

/// Eight processes: one calls as often as all others, and the rest ever less; some hardly.
fn unevenly(process: usize, now: u32) -> u32 {
    let every = [1, 2, 3, 5, 40, 90, 200, 700][process];
    let calls = [3, 2, 1, 1, 1, 1, 1, 1][process];
    if now.is_multiple_of(every) { calls } else { 0 }
}

#[tokio::test(start_paused = true)]
async fn uneven_calls_use_nearly_all() {
    for limit in [COUNTER, BUCKET] {
        for limit in [limit.lease_auto(), limit.lease(COUNT / 32)] {
            let fleet = Fleet::of(8).await;
            let passed = fleet.passed(limit, 8000, unevenly).await;
            // After the burst of a bucket, and the first window of a counter.
            let used: u32 = passed[3000..].iter().sum();
            assert!(used * 100 >= 5 * COUNT * 95, "{used} of {} by {limit}", 5 * COUNT);
        }
    }
}

/// Four processes with ten times as many calls as may pass ask some forty times a second each, and pass all that may.
#[tokio::test(start_paused = true)]
async fn an_overloaded_bucket_is_asked_rarely() {
    let fleet = Fleet::of(4).await;
    let passed = fleet.passed(BUCKET.lease_auto(), 4000, |_, _| 8).await;
    let used: u32 = passed[2000..].iter().sum();
    assert!(used * 100 >= 2 * COUNT * 95, "{used} of {}", 2 * COUNT);
    let asked = fleet.store.take_requests();
    assert!(asked < 4 * 4 * 60, "{asked} questions in four seconds");
}

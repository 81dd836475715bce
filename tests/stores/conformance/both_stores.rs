//! The memory store and the Redis store pass the suite with a clock that the test moves. The memory store also passes with a
//! running clock.

use crate::harness::{Twins, operations, seed};
use ratelimit::clock::{Clock, ManualClock};
use ratelimit::testing::conformance::{Failure, Report, Suite};
use ratelimit::{Algorithm, Limit, MemoryStore};
use std::cell::Cell;
use std::sync::Mutex;
use std::time::Duration;
use support::MINUTE;

/// Asserts that the suite finds no failure, and skips only the named parts.
fn assert_complete(report: &Report, left_out: &[&str]) {
    assert!(report.is_passed(), "{report}");
    assert!(report.passed() > 100, "{report}");
    let is_named = |skipped: &String| left_out.iter().any(|named| skipped.contains(named));
    assert!(report.skipped().iter().all(is_named), "{report}");
    for named in left_out {
        assert!(
            report.skipped().iter().any(|skipped| skipped.contains(named)),
            "{named} is not left out: {report}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_memory_store_passes() {
    for seed in [seed(), seed() + 1, seed() + 2] {
        let clock = ManualClock::new();
        let suite = Suite::new(MemoryStore::with_clock(clock.clone()), async |time| clock.advance(time));
        let report = suite.seed(seed).operations(operations(100_000)).check().await;
        // Processes do not share a memory store, so it has no limits of other processes.
        assert_complete(&report, &["published limits"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_redis_store_passes() {
    for seed in [seed(), seed() + 1, seed() + 2] {
        let mut twins = Twins::start();
        twins.set_clock(1_763_000_000_000_000);
        let (store, twins) = (twins.redis.clone(), Mutex::new(twins));
        let suite = Suite::new(store, async |time| twins.lock().unwrap().pass(time));
        let report = suite.seed(seed).operations(operations(20_000)).check().await;
        assert_complete(&report, &[]);
    }
}

/// A clock that moves a little each time it is read.
#[derive(Clone, Default)]
struct Running(ManualClock);

impl Clock for Running {
    fn now(&self) -> Duration {
        self.0.advance(Duration::from_micros(1700));
        self.0.now()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_whose_clock_runs_passes() {
    let (clock, waited) = (Running::default(), Cell::new(Duration::ZERO));
    let suite = Suite::new(MemoryStore::with_clock(clock.clone()), async |time| {
        clock.0.advance(time);
        waited.set(waited.get() + time);
    });
    let report = suite.clock_runs().check().await;
    assert_complete(&report, &["published limits", "the clock of the store moves by itself"]);
    assert!(waited.get() < 5 * MINUTE, "with a real clock it would wait for {:?}", waited.get());
}

#[tokio::test]
async fn what_a_store_does_not_support_is_left_out_by_name() {
    let clock = ManualClock::new();
    let suite = Suite::new(MemoryStore::with_clock(clock.clone()), async |time| clock.advance(time));
    let counters = |limit: &Limit| limit.algorithm() == Algorithm::Counter;
    let report = suite.supports(counters).operations(500).check().await;
    assert!(report.skipped().iter().any(|skipped| {
        skipped
            == "\"a permit ends with its lease\" with `concurrency count=3 time=3s`: \
                    it needs `concurrency count=3 time=3s`, which the store does not support"
    }));
    // The store decides a limit that it claims not to support, so either the claim or the store is wrong.
    let sentences: Vec<&str> = report.failures().iter().map(Failure::sentence).collect();
    assert!(!sentences.is_empty(), "{report}");
    assert!(
        sentences.iter().all(|it| *it == "the store accepted a limit that it does not support"),
        "{report}"
    );
}

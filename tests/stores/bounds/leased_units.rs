//! Processes with leased units. They never exceed the bound, use nearly all units even if their rates differ, and return unused
//! units.

use crate::bounds::processes::worker_limits;
use crate::bounds::processes::workers::{self, Records, Worker};
use crate::bounds::proofs::micros;
use crate::harness::{assert_all_expire, limiter_on};
use ratelimit::{Algorithm, Limit};
use support::{HOUR, RedisServer};

/// The number of tasks of each of eight processes, and the pause of a task after each call, in microseconds.
const UNEVEN: [(u32, u32); 8] =
    [(32, 0), (8, 0), (4, 1000), (1, 2000), (1, 5000), (1, 20_000), (1, 100_000), (1, 400_000)];

/// Runs four processes with the same rate, or eight with different rates, and asserts the bound. A bucket may exceed its burst
/// by the units on lease, but at most by the units that it refills while leased units are valid.
fn run(name: &str, is_uneven: bool) -> (Limit, Records) {
    let (server, limit) = (RedisServer::start(), worker_limits::named(name).unwrap());
    let url = server.url();
    let records =
        if is_uneven { workers::call_unevenly(&url, name, &UNEVEN) } else { workers::call(&url, name) };
    assert_all_expire(&server, &[limit]);
    assert!(limit.largest_lease() > 1);
    let is_bucket = limit.algorithm() == Algorithm::TokenBucket;
    let while_good = 400_000 * u64::from(limit.count()) / micros(limit.time());
    let most = on_lease(&limit, is_uneven).min(while_good).min(u64::from(limit.capacity() / 4));
    records.stay_within(&limit, if is_bucket { most } else { 0 });
    (limit, records)
}

/// Returns the largest number of leased units that all processes together hold without using them.
fn on_lease(limit: &Limit, is_uneven: bool) -> u64 {
    let processes = if is_uneven { UNEVEN.len() } else { workers::PROCESSES };
    processes as u64 * u64::from(limit.largest_lease())
}

#[test]
fn a_leased_counter_wastes_at_most_the_leased_units() {
    let (limit, records) = run("leased counter", false);
    records.refuse_only_after(u64::from(limit.count()) - on_lease(&limit, false), limit.time());
}

#[test]
fn a_leased_bucket_exceeds_its_burst_by_at_most_the_leased_units() {
    let (limit, records) = run("leased bucket", false);
    records.use_bucket(&limit, 95);
}

#[test]
fn leased_counters_are_used_by_uneven_processes() {
    for name in ["counter leased to eight", "counter leased by itself"] {
        let (limit, records) = run(name, true);
        records.use_windows(&limit, 95);
    }
}

#[test]
fn leased_buckets_are_used_by_uneven_processes() {
    for name in ["bucket leased to eight", "bucket leased by itself"] {
        let (limit, records) = run(name, true);
        records.use_bucket(&limit, 95);
    }
}

#[tokio::test]
async fn close_returns_leased_units() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).connect().await.unwrap();
    for limit in [Limit::counter(1000, HOUR).lease(100), Limit::token_bucket(1000, HOUR).lease_auto()] {
        for _ in 0..70 {
            limiter.check(&limit, "k").await.unwrap();
        }
        let left = limiter.peek(&limit, "k").await.unwrap().remaining();
        assert!(left < 930, "{left}: nothing is on lease");
        limiter.close().await;
        assert_eq!(limiter.peek(&limit, "k").await.unwrap().remaining(), 930, "{limit}");
    }
}

/// No process returns the leased units of a killed process. They expire with their window.
#[tokio::test]
async fn leased_units_of_a_killed_process_expire_with_their_window() {
    let (server, name) = (RedisServer::start(), "counter leased by itself");
    let limiter = limiter_on(&server).connect().await.unwrap();
    let limit = worker_limits::named(name).unwrap();
    let mut worker = Worker::start(&[&server.url(), name, "1", "1000"]);
    assert_eq!(worker.line(), "ready");
    worker.tell(&(workers::now() + 60_000_000).to_string());
    while limiter.peek(&limit, name).await.unwrap().remaining() + 50 > limit.count() {}
    worker.kill();
    let patient = Limit::counter(limit.count(), limit.time()).wait(limit.time() * 2);
    limiter.acquire_cost(&patient, name, limit.count()).await.unwrap();
}

//! Processes with leased units: they never exceed the bound, use nearly all units even if their rates differ, and
//! return what is left.

use crate::bounds::four_processes::{Numbers, numbers, run, steps};
use crate::bounds::processes::worker_limits;
use crate::bounds::processes::workers::{self, Records, Worker};
use crate::bounds::proofs::full_use::windows_are_full;
use crate::bounds::proofs::upper_bounds::{Ends, GRAIN_US, windows_hold};
use crate::harness::{assert_all_expire, limiter_on};
use ratelimit::Limit;
use support::{HOUR, RedisServer};

/// The tasks of each of eight processes, and the pause of a task after each call, in microseconds.
const UNEVEN: [(u32, u32); 8] =
    [(32, 0), (8, 0), (4, 1000), (1, 2000), (1, 5000), (1, 20_000), (1, 100_000), (1, 400_000)];

fn run_unevenly(name: &str) -> (Numbers, Records) {
    let server = RedisServer::start();
    let records = workers::call_unevenly(&server.url(), name, &UNEVEN);
    let numbers = numbers(name);
    assert_all_expire(&server, &[numbers.limit]);
    (numbers, records)
}

/// The most units that four busy processes hold unused.
const ON_LEASE: u64 = workers::PROCESSES as u64 * worker_limits::LEASED as u64;

#[test]
fn a_leased_counter_wastes_at_most_the_leased_units() {
    let (Numbers { count, time, .. }, records) = run("leased counter");
    counter_holds(&records, count, time);
    windows_are_full(&records, count - ON_LEASE, time);
}

#[test]
fn a_leased_bucket_exceeds_its_burst_by_at_most_the_leased_units() {
    let (numbers, records) = run("leased bucket");
    bucket_holds(&records, &numbers, ON_LEASE);
}

#[test]
fn a_leased_counter_is_used_by_uneven_processes() {
    uneven_calls_use_a_counter("counter leased to eight");
}

#[test]
fn a_counter_with_automatic_leases_is_used_by_uneven_processes() {
    uneven_calls_use_a_counter("counter leased by itself");
}

#[test]
fn a_leased_bucket_is_used_by_uneven_processes() {
    let (numbers, records) = run_unevenly("bucket leased to eight");
    bucket_holds(&records, &numbers, UNEVEN.len() as u64 * u64::from(worker_limits::LEASED_OF_EIGHT));
}

#[test]
fn a_bucket_with_automatic_leases_is_used_by_uneven_processes() {
    let (numbers, records) = run_unevenly("bucket leased by itself");
    bucket_holds(&records, &numbers, u64::MAX);
}

fn uneven_calls_use_a_counter(name: &str) {
    let (Numbers { count, time, .. }, records) = run_unevenly(name);
    counter_holds(&records, count, time);
    windows_are_used_of_100(95, &records, count, time);
}

fn counter_holds(records: &Records, count: u64, time: u64) {
    let ends = Ends::of(&records.passed);
    steps().for_each(|k| ends.at_most(count * (k + 1), k * time - GRAIN_US));
    windows_hold(&records.passed, count, time);
}

/// A bucket may exceed its burst by the units on lease, at most by those that it refills while leased units are
/// valid.
fn bucket_holds(records: &Records, Numbers { limit, count, time, capacity }: &Numbers, on_lease: u64) {
    let while_good = (400_000 * count / time).min(capacity / 4);
    let most = on_lease.min(while_good);
    Ends::of(&records.passed).below_line(capacity + 1 + most, *count, *time);
    assert!(limit.largest_lease() > 1);
    records.assert_passed_of_100(95, capacity + count * records.due_for() / time);
}

/// Asserts the use of all windows together, except the last one, which may be incomplete.
fn windows_are_used_of_100(least: u64, records: &Records, count: u64, time: u64) {
    let mut moments: Vec<u64> = records.passed.iter().map(|call| call.turn.to).collect();
    moments.sort_unstable();
    let (mut starts, mut refusing) = (vec![moments[0]], 0);
    starts.extend(
        moments
            .iter()
            .scan(moments[0], |start, moment| {
                let next = *moment >= *start + time;
                *start = if next { *moment } else { *start };
                Some(next.then_some(*moment))
            })
            .flatten(),
    );
    let mut used = 0;
    for window in starts.windows(2) {
        let within = |moment: u64| window[0] <= moment && moment < window[1];
        // In a window without a refusal, the calls did not need all units.
        if records.refused.iter().any(|refused| within(refused.from)) {
            refusing += 1;
            used += moments.iter().filter(|moment| within(**moment)).count() as u64;
        }
    }
    assert!(refusing > 0, "too few calls: no call was refused");
    assert!(used * 100 >= refusing * count * least, "{used} used in {refusing} windows of {count}");
}

#[tokio::test]
async fn close_returns_leased_units() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).connect().await.unwrap();
    let hour = HOUR;
    for limit in [Limit::counter(1000, hour).lease(100), Limit::token_bucket(1000, hour).lease_auto()] {
        for _ in 0..70 {
            limiter.check(&limit, "k").await.unwrap();
        }
        let left = limiter.peek(&limit, "k").await.unwrap().remaining();
        assert!(left < 930, "{left}: nothing is on lease");
        limiter.close().await;
        assert_eq!(limiter.peek(&limit, "k").await.unwrap().remaining(), 930, "{limit}");
    }
}

/// Nobody returns the leased units of a killed process. They expire with their window.
#[tokio::test]
async fn leased_units_of_a_killed_process_expire_with_their_window() {
    let (server, name) = (RedisServer::start(), "counter leased by itself");
    let limiter = limiter_on(&server).connect().await.unwrap();
    let limit = numbers(name).limit;
    let mut worker = Worker::start(&[&server.url(), name, "1", "1000"]);
    assert_eq!(worker.line(), "ready");
    worker.tell(&(workers::now() + 60_000_000).to_string());
    while limiter.peek(&limit, name).await.unwrap().remaining() + 50 > limit.count() {}
    worker.kill();
    let patient = Limit::counter(limit.count(), limit.time()).wait(limit.time() * 2);
    limiter.acquire_cost(&patient, name, limit.count()).await.unwrap();
}

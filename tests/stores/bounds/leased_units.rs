//! Real processes with units on lease: never above the bound, nearly all is used however uneven the calls are, and what is
//! left comes back.

use crate::bounds::four_processes::{Numbers, numbers, run, steps};
use crate::bounds::processes::worker_limits;
use crate::bounds::processes::workers::{self, Records, Worker};
use crate::bounds::proofs::full_use::windows_are_full;
use crate::bounds::proofs::upper_bounds::{Ends, GRAIN_US, windows_hold};
use crate::harness::{assert_all_expire, limiter_on};
use ratelimit::Limit;
use std::time::Duration;
use support::RedisServer;

/// Eight processes, each with so many tasks that pause for so many microseconds after each call.
const UNEVEN: [(u32, u32); 8] =
    [(32, 0), (8, 0), (4, 1000), (1, 2000), (1, 5000), (1, 20_000), (1, 100_000), (1, 400_000)];

fn run_unevenly(name: &str) -> (Numbers, Records) {
    let server = RedisServer::start();
    let records = workers::call_unevenly(&server.url(), name, &UNEVEN);
    let numbers = numbers(name);
    assert_all_expire(&server, &[numbers.limit]);
    (numbers, records)
}

/// What can lie unused with four processes that call as fast as they can.
const ON_LEASE: u64 = workers::PROCESSES as u64 * worker_limits::LEASED as u64;

#[test]
fn a_leased_counter_keeps_its_bound_and_wastes_what_lies_elsewhere_at_most() {
    let (Numbers { count, time, .. }, records) = run("leased counter");
    counter_holds(&records, count, time);
    windows_are_full(&records, count - ON_LEASE, time);
}

#[test]
fn a_leased_bucket_passes_its_burst_by_what_is_on_lease_at_most_and_is_used() {
    let (numbers, records) = run("leased bucket");
    bucket_holds(&records, &numbers, ON_LEASE);
}

#[test]
fn a_counter_leased_to_eight_uneven_processes_is_used() {
    uneven_calls_use_a_counter("counter leased to eight");
}

#[test]
fn a_counter_leased_by_itself_to_uneven_processes_is_used() {
    uneven_calls_use_a_counter("counter leased by itself");
}

#[test]
fn a_bucket_leased_to_eight_uneven_processes_is_used() {
    let (numbers, records) = run_unevenly("bucket leased to eight");
    bucket_holds(&records, &numbers, UNEVEN.len() as u64 * u64::from(worker_limits::LEASED_OF_EIGHT));
}

#[test]
fn a_bucket_leased_by_itself_to_uneven_processes_is_used() {
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

/// Above the burst comes what is on lease, and not more than what comes back while units are good.
fn bucket_holds(records: &Records, Numbers { limit, count, time, capacity }: &Numbers, on_lease: u64) {
    let while_good = (400_000 * count / time).min(capacity / 4);
    let most = on_lease.min(while_good);
    Ends::of(&records.passed).below_line(capacity + 1 + most, *count, *time);
    assert!(limit.largest_lease() > 1);
    records.assert_passed_of_100(95, capacity + count * records.due_for() / time);
}

/// All windows together, but for the last, which may have been cut off.
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
        // Where nobody was refused there was nothing to be had.
        if records.refused.iter().any(|refused| within(refused.from)) {
            refusing += 1;
            used += moments.iter().filter(|moment| within(**moment)).count() as u64;
        }
    }
    assert!(refusing > 0, "too few calls: nobody was refused");
    assert!(used * 100 >= refusing * count * least, "{used} used in {refusing} windows of {count}");
}

#[tokio::test]
async fn what_is_left_comes_back_when_a_limiter_is_closed() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).build().await.unwrap();
    let hour = Duration::from_secs(3600);
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

/// Nobody gives back what was on lease of a process that was killed: it is void with its window.
#[tokio::test]
async fn what_a_killed_process_had_is_free_again_with_the_next_window() {
    let (server, name) = (RedisServer::start(), "counter leased by itself");
    let limiter = limiter_on(&server).build().await.unwrap();
    let limit = numbers(name).limit;
    let mut worker = Worker::start(&[&server.url(), name, "1", "1000"]);
    assert_eq!(worker.line(), "ready");
    worker.tell(&(workers::now() + 60_000_000).to_string());
    while limiter.peek(&limit, name).await.unwrap().remaining() + 50 > limit.count() {}
    worker.kill();
    let patient = Limit::counter(limit.count(), limit.time()).wait(limit.time() * 2);
    limiter.acquire_cost(&patient, name, limit.count()).await.unwrap();
}

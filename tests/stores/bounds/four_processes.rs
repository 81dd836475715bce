//! Four processes with 128 tasks call one key in real time. They never exceed the bound of the limit, and use all of its units.

use crate::bounds::processes::worker_limits;
use crate::bounds::processes::workers::{self, Records};
use crate::harness::{assert_all_expire, limiter_on};
use ratelimit::{Algorithm, Limit};
use support::RedisServer;

/// Lets all processes call a limit.
fn run(name: &str) -> (Limit, Records) {
    let (server, limit) = (RedisServer::start(), worker_limits::named(name).unwrap());
    let records = workers::call(&server.url(), name);
    assert_all_expire(&server, &[limit]);
    (limit, records)
}

fn admits_exactly_its_limit(name: &str) {
    let (limit, records) = run(name);
    records.stay_within(&limit, 0);
    let (count, time) = (limit.count().into(), limit.time());
    match limit.algorithm() {
        Algorithm::Counter | Algorithm::SlidingLog => records.refuse_only_after(count, time),
        // A sliding window counts in cells of length `time`. The units of the current cell and of the previous cell can cause a
        // refusal.
        Algorithm::SlidingWindow => records.refuse_only_after(count, 2 * time),
        _ => records.use_bucket(&limit, 99),
    }
}

macro_rules! admits_exactly_its_limit {
    ($($name:ident: $limit:literal;)*) => {
        $(
            #[test]
            fn $name() {
                admits_exactly_its_limit($limit);
            }
        )*
    };
}

admits_exactly_its_limit! {
    a_counter_admits_exactly_its_limit: "counter";
    a_sliding_window_admits_exactly_its_limit: "sliding window";
    a_sliding_log_admits_exactly_its_limit: "sliding log";
    a_greedy_bucket_admits_exactly_its_limit: "greedy";
    a_borrowing_bucket_admits_exactly_its_limit: "borrowing";
    a_meter_admits_exactly_its_limit: "meter";
    an_interval_bucket_admits_exactly_its_limit: "interval";
    a_queue_admits_exactly_its_limit: "queue";
}

#[test]
fn permits_never_exceed_the_limit_and_all_come_back() {
    let (server, limit) = (RedisServer::start(), worker_limits::named("permits").unwrap());
    let (records, count) = (workers::call(&server.url(), "permits"), u64::from(limit.count()));
    let (most, holds) = (records.most_at_once(), records.passed.len());
    assert!(most <= count, "{most} held at once");
    assert!(holds as u64 > 2 * count, "{holds} holds prove little");
    assert_eq!(u64::from(free(&server, &limit, "permits")), count);
    assert_all_expire(&server, &[limit]);
}

#[tokio::main(flavor = "current_thread")]
async fn free(server: &RedisServer, limit: &Limit, name: &str) -> u32 {
    limiter_on(server).connect().await.unwrap().peek(limit, name).await.unwrap().remaining()
}

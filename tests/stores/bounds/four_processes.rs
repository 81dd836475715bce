//! Four processes with 128 tasks call one key in real time. They never exceed the bound of the limit, and use all of it.

use crate::bounds::processes::worker_limits;
use crate::bounds::processes::workers::{self, Records, Span};
use crate::bounds::proofs::micros;
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
        // The units of the cell and of the one before it.
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
    let (limit, records) = run_permits("short holds");
    assert!(records.passed.len() > 2 * limit.count() as usize, "{} holds prove little", records.passed.len());
}

#[test]
fn free_permits_are_used_soon() {
    let (limit, records) = run_permits("long holds");
    let Span { from, to } = records.calling;
    let within = |turn: &Span| turn.to.min(to).saturating_sub(turn.from.max(from));
    let used: u64 = records.passed.iter().map(|call| within(&call.turn)).sum();
    // A permit that changes hands is unused for as long as it takes to return it and to request it.
    let calls = records.passed.len() as u64;
    let under_way = records.passed.iter().map(|call| call.turn.from - call.sent).sum::<u64>() / calls;
    let each = micros(worker_limits::pace("long holds").0);
    let due = u64::from(limit.count()) * (to - from) * each / (each + 2 * under_way);
    assert!(used * 100 >= due * 95, "permits were held for {used} us of {due}");
}

fn run_permits(name: &str) -> (Limit, Records) {
    let (server, limit) = (RedisServer::start(), worker_limits::named(name).unwrap());
    let records = workers::call(&server.url(), name);
    let most = records.most_at_once();
    assert!(most <= u64::from(limit.count()), "{most} held at once");
    assert_eq!(free(&server, &limit, name), limit.count());
    assert_all_expire(&server, &[limit]);
    (limit, records)
}

#[tokio::main(flavor = "current_thread")]
async fn free(server: &RedisServer, limit: &Limit, name: &str) -> u32 {
    limiter_on(server).connect().await.unwrap().peek(limit, name).await.unwrap().remaining()
}

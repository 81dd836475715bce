//! Four processes with 128 tasks call one key in real time. They never exceed the bound of the limit, and use all of
//! it.

use crate::bounds::processes::worker_limits;
use crate::bounds::processes::workers::{self, Records, Span};
use crate::bounds::proofs::full_use::{cells_are_full, windows_are_full};
use crate::bounds::proofs::upper_bounds::{
    Ends, GRAIN_US, cells_hold, most_at_once, steps_hold, windows_hold,
};
use crate::harness::{assert_all_expire, limiter_on};
use ratelimit::Limit;
use support::RedisServer;

/// The numbers of a limit, with times in microseconds.
pub(crate) struct Numbers {
    pub(crate) limit: Limit,
    pub(crate) count: u64,
    pub(crate) time: u64,
    pub(crate) capacity: u64,
}

pub(crate) fn numbers(name: &str) -> Numbers {
    let limit = worker_limits::named(name).unwrap();
    let time = u64::try_from(limit.time().as_micros()).unwrap();
    Numbers { limit, count: limit.count().into(), time, capacity: limit.capacity().into() }
}

/// Lets all processes call a limit. Returns their records.
pub(crate) fn run(name: &str) -> (Numbers, Records) {
    let server = RedisServer::start();
    let records = workers::call(&server.url(), name);
    let numbers = numbers(name);
    assert_all_expire(&server, &[numbers.limit]);
    (numbers, records)
}

impl Records {
    /// The time from the first admitted call to the last refusal. All units that were due in it were used.
    pub(crate) fn due_for(&self) -> u64 {
        let first = self.passed.iter().map(|call| call.turn.to).min().unwrap();
        let last = self.refused.last().expect("too few calls: no call was refused");
        last.from.saturating_sub(first)
    }

    /// Asserts that at least 99 % of the units that were due were used.
    fn assert_passed(&self, due: u64) {
        self.assert_passed_of_100(99, due);
    }

    pub(crate) fn assert_passed_of_100(&self, least: u64, due: u64) {
        let passed = self.passed.len();
        assert!(passed as u64 * 100 >= due * least, "{passed} of {due}");
    }
}

/// Lengths of intervals, in multiples of `time`.
pub(crate) fn steps() -> impl Iterator<Item = u64> {
    1..=8
}

#[test]
fn a_counter_admits_exactly_its_limit() {
    let (Numbers { count, time, .. }, records) = run("counter");
    let ends = Ends::of(&records.passed);
    steps().for_each(|k| ends.at_most(count * (k + 1), k * time - GRAIN_US));
    windows_hold(&records.passed, count, time);
    windows_are_full(&records, count, time);
}

#[test]
fn a_sliding_window_admits_exactly_its_limit() {
    let (Numbers { count, time, .. }, records) = run("sliding window");
    let ends = Ends::of(&records.passed);
    steps().for_each(|k| ends.at_most(count * (k + 1) - 1, k * time - GRAIN_US));
    cells_hold(&records.passed, count, time);
    cells_are_full(&records, count, time);
}

#[test]
fn a_sliding_log_admits_exactly_its_limit() {
    let (Numbers { count, time, .. }, records) = run("sliding log");
    let ends = Ends::of(&records.passed);
    steps().for_each(|k| ends.at_most(count * k, k * time - 1));
    windows_are_full(&records, count, time);
}

/// A continuously leaking bucket loses only what leaks while it is empty.
fn assert_bucket_admits_exactly_its_limit(name: &str) {
    let (Numbers { count, time, capacity, .. }, records) = run(name);
    Ends::of(&records.passed).below_line(capacity + 1, count, time);
    records.assert_passed(capacity + count * records.due_for() / time);
}

#[test]
fn a_greedy_bucket_admits_exactly_its_limit() {
    assert_bucket_admits_exactly_its_limit("greedy");
}

#[test]
fn a_borrowing_bucket_admits_exactly_its_limit() {
    assert_bucket_admits_exactly_its_limit("borrowing");
}

#[test]
fn a_meter_admits_exactly_its_limit() {
    assert_bucket_admits_exactly_its_limit("meter");
}

#[test]
fn an_interval_bucket_admits_exactly_its_limit() {
    let (Numbers { count, time, capacity, .. }, records) = run("interval");
    let ends = Ends::of(&records.passed);
    steps().for_each(|k| ends.at_most(capacity + count.min(capacity) * k, k * time - 2 * GRAIN_US));
    steps_hold(&records.passed, capacity, count, time);
    records.assert_passed(capacity + count * (records.due_for() / time));
}

#[test]
fn a_queue_admits_exactly_its_limit() {
    let (Numbers { limit, count, time, .. }, records) = run("queue");
    Ends::of(&records.passed).below_line(1, count, time);
    // Before the last refusal, all calls with a turn within the wait were admitted.
    let wait = u64::try_from(limit.longest_wait().as_micros()).unwrap();
    records.assert_passed(count * (records.due_for() + wait) / time);
}

#[test]
fn permits_never_exceed_the_limit_and_all_come_back() {
    let (count, records) = run_permits("short holds");
    assert!(records.passed.len() as u64 > 2 * count, "{} holds prove little", records.passed.len());
}

#[test]
fn free_permits_are_used_soon() {
    let (count, records) = run_permits("long holds");
    let Span { from, to } = records.calling;
    let within = |turn: &Span| turn.to.min(to).saturating_sub(turn.from.max(from));
    let used: u64 = records.passed.iter().map(|call| within(&call.turn)).sum();
    // A permit that changes hands is unused for as long as it takes to return it and to request it.
    let calls = records.passed.len() as u64;
    let under_way = records.passed.iter().map(|call| call.turn.from - call.sent).sum::<u64>() / calls;
    let (each, _) = worker_limits::pace("long holds");
    let each = u64::try_from(each.as_micros()).unwrap();
    let due = count * (to - from) * each / (each + 2 * under_way);
    assert!(used * 100 >= due * 95, "permits were held for {used} us of {due}");
}

fn run_permits(name: &str) -> (u64, Records) {
    let server = RedisServer::start();
    let Numbers { limit, count, .. } = numbers(name);
    let records = workers::call(&server.url(), name);
    let most = most_at_once(&records.passed);
    assert!(most <= count, "{most} held at once");
    assert_eq!(free(&server, &limit, name), limit.count());
    assert_all_expire(&server, &[limit]);
    (count, records)
}

#[tokio::main(flavor = "current_thread")]
async fn free(server: &RedisServer, limit: &Limit, name: &str) -> u32 {
    limiter_on(server).connect().await.unwrap().peek(limit, name).await.unwrap().remaining()
}

//! Real time, real processes: 128 tasks in four processes on one key never pass more than the limit's bound, and what
//! must pass has passed.

use crate::inspect::assert_all_expire;
use crate::oracle::{Ends, GRAIN_US, cells_hold, most_at_once, windows_hold};
use crate::setup::limiter_on;
use crate::workers::{self, Records, Span};
use ratelimit::Limit;
use support::RedisServer;

#[path = "worker_limits.rs"]
mod worker_limits;

/// The numbers of a limit, with times in microseconds.
struct Numbers {
    limit: Limit,
    count: u64,
    time: u64,
    capacity: u64,
}

fn numbers(name: &str) -> Numbers {
    let limit = worker_limits::named(name).unwrap();
    let time = u64::try_from(limit.time().as_micros()).unwrap();
    Numbers { limit, count: limit.count().into(), time, capacity: limit.capacity().into() }
}

/// A machine that lets hardly any call come wastes what is due, and says nothing about the limiter: then all begins anew.
/// A limiter that wastes does so each time.
const ATTEMPTS: usize = 4;

/// Lets all processes call, and looks at what they leave.
fn run(name: &str) -> (Numbers, Records) {
    let server = RedisServer::start();
    let numbers = numbers(name);
    let mut records = workers::call(&server.url(), name);
    for _ in 1..ATTEMPTS {
        if records.has_met_the_limit() {
            break;
        }
        redis::cmd("FLUSHALL").exec(&mut server.raw()).unwrap();
        records = workers::call(&server.url(), name);
    }
    assert_all_expire(&server, &[numbers.limit]);
    (numbers, records)
}

/// Judges what a run has left, and whether 99 of 100 of what was due have passed.
fn keeps(name: &str, judge: impl Fn(&Numbers, &Records) -> u64) {
    for attempt in 1..=ATTEMPTS {
        let (numbers, records) = run(name);
        let (passed, due) = (records.passed.len() as u64, judge(&numbers, &records));
        if passed * 100 >= due * 99 {
            return;
        }
        assert!(attempt < ATTEMPTS, "{passed} of {due}, and not more in {ATTEMPTS} runs");
    }
}

impl Records {
    fn first(&self) -> u64 {
        self.passed.iter().map(|call| call.turn.to).min().unwrap()
    }

    fn has_met_the_limit(&self) -> bool {
        self.refused.from > self.first()
    }

    /// From the first call until one was refused: then all that was due had passed.
    fn due_for(&self) -> u64 {
        assert!(self.has_met_the_limit(), "too few calls to say anything");
        self.refused.from - self.first()
    }

    /// Of what is due 99 of 100 have passed.
    fn assert_passed(&self, due: u64) {
        let passed = self.passed.len();
        assert!(passed as u64 * 100 >= due * 99, "{passed} of {due}");
    }
}

/// Intervals of one to eight times `time`.
fn steps() -> impl Iterator<Item = u64> {
    1..=8
}

/// A window starts with the first call after the end of the last one, and a cell that has ended takes no more: windows
/// may lose this, all together, while the machine lets no call come.
const LOST_US: u64 = 300_000;

/// What is due of windows that have begun.
fn windows(records: &Records, count: u64, time: u64) -> u64 {
    count * (1 + (records.due_for().saturating_sub(LOST_US)) / time)
}

#[test]
fn a_counter_keeps_its_bound_and_wastes_nothing() {
    keeps("counter", |&Numbers { count, time, .. }, records| {
        let ends = Ends::of(&records.passed);
        steps().for_each(|k| ends.at_most(count * (k + 1), k * time - GRAIN_US));
        windows_hold(&records.passed, count, time);
        windows(records, count, time)
    });
}

#[test]
fn a_sliding_window_keeps_its_bound_and_wastes_nothing() {
    keeps("sliding window", |&Numbers { count, time, .. }, records| {
        let ends = Ends::of(&records.passed);
        steps().for_each(|k| ends.at_most(count * (k + 1) - 1, k * time - GRAIN_US));
        cells_hold(&records.passed, count, time);
        // After the first cell units come back all the time.
        count.max(count * records.due_for().saturating_sub(LOST_US) / time)
    });
}

#[test]
fn a_sliding_log_keeps_its_bound_and_wastes_nothing() {
    keeps("sliding log", |&Numbers { count, time, .. }, records| {
        let ends = Ends::of(&records.passed);
        steps().for_each(|k| ends.at_most(count * k, k * time - 1));
        windows(records, count, time)
    });
}

/// A bucket that leaks all the time: it wastes only what leaks while it is empty.
fn a_bucket_keeps_its_bound_and_wastes_nothing(name: &str) {
    keeps(name, |&Numbers { count, time, capacity, .. }, records| {
        Ends::of(&records.passed).below_line(capacity + 1, count, time);
        capacity + count * records.due_for() / time
    });
}

#[test]
fn a_greedy_bucket_keeps_its_bound_and_wastes_nothing() {
    a_bucket_keeps_its_bound_and_wastes_nothing("greedy");
}

#[test]
fn a_borrowing_bucket_keeps_its_bound_and_wastes_nothing() {
    a_bucket_keeps_its_bound_and_wastes_nothing("borrowing");
}

#[test]
fn a_meter_keeps_its_bound_and_wastes_nothing() {
    a_bucket_keeps_its_bound_and_wastes_nothing("meter");
}

#[test]
fn an_interval_bucket_keeps_its_bound_and_wastes_nothing() {
    keeps("interval", |&Numbers { count, time, capacity, .. }, records| {
        let ends = Ends::of(&records.passed);
        steps().for_each(|k| ends.at_most(capacity + count.min(capacity) * k, k * time - 2 * GRAIN_US));
        capacity + count * (records.due_for() / time)
    });
}

#[test]
fn a_queue_keeps_its_bound_and_wastes_nothing() {
    let (Numbers { limit, count, time, .. }, records) = run("queue");
    Ends::of(&records.passed).below_line(1, count, time);
    // Who was refused last had everybody before him whose turn comes within the wait.
    let wait = u64::try_from(limit.longest_wait().as_micros()).unwrap();
    records.assert_passed(count * (records.due_for() + wait) / time);
}

#[test]
fn permits_are_never_too_many_and_all_come_back() {
    let (count, records) = run_permits("short holds");
    assert!(records.passed.len() as u64 > 2 * count, "{} holds prove little", records.passed.len());
}

#[test]
fn permits_are_put_to_use() {
    let (count, records) = run_permits("long holds");
    let Span { from, to } = records.calling;
    let within = |turn: &Span| turn.to.min(to).saturating_sub(turn.from.max(from));
    let held: u64 = records.passed.iter().map(|call| within(&call.turn)).sum();
    // The machine's share: a permit that changes hands is under way for as long as it takes to give it back, to ask for
    // it and to answer.
    let calls = records.passed.len() as u64;
    let under_way = records.passed.iter().map(|call| call.turn.from - call.sent).sum::<u64>() / calls;
    let (each, _) = worker_limits::pace("long holds");
    let each = u64::try_from(each.as_micros()).unwrap();
    let due = count * (to - from) * each / (each + 2 * under_way);
    assert!(held * 100 >= due * 95, "permits were held for {held} us of {due}");
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
    limiter_on(server).build().await.unwrap().peek(limit, name).await.unwrap().remaining()
}

//! Real time, real processes: 64 tasks in two processes on one key never pass more than the limit's bound, and what must
//! pass has passed.

use ratelimit::Limit;
use std::process::{Child, Command, Stdio};
use support::RedisServer;

#[path = "worker_limits.rs"]
mod worker_limits;

/// For how long each process calls.
const CALLING_MS: u64 = 4000;

/// A call that was admitted at some moment between these two, in microseconds.
#[derive(Clone, Copy, Debug)]
struct Admitted {
    sent: u64,
    answered: u64,
}

/// Ends its process also when the test fails.
struct Worker(Child);

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn run_workers(name: &str) -> Vec<Admitted> {
    let server = RedisServer::start();
    let worker = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_worker"));
        command.arg(server.url()).arg(name).arg(CALLING_MS.to_string()).stdout(Stdio::piped());
        Worker(command.spawn().unwrap())
    };
    let mut admitted = Vec::new();
    for mut worker in [worker(), worker()] {
        let mut report = String::new();
        std::io::Read::read_to_string(worker.0.stdout.as_mut().unwrap(), &mut report).unwrap();
        assert!(worker.0.wait().unwrap().success(), "a worker has failed");
        admitted.extend(report.lines().map(|line| {
            let (sent, answered) = line.split_once(' ').unwrap();
            Admitted { sent: sent.parse().unwrap(), answered: answered.parse().unwrap() }
        }));
    }
    assert_eq!(server.keys_without_ttl(), 0);
    admitted.sort_by_key(|call| call.answered);
    admitted
}

/// Checks every interval that begins when some call was sent and ends when some call was answered: the calls that lie in
/// it for certain are no more than `bound` of its length in milliseconds.
fn never_above(admitted: &[Admitted], bound: impl Fn(u64) -> u64) {
    for from in admitted.iter().map(|call| call.sent) {
        let mut within = 0;
        for call in admitted.iter().filter(|call| call.sent >= from) {
            within += 1;
            // The store's clock has a grain of one millisecond.
            let length = (call.answered - from).div_ceil(1000) + 1;
            assert!(within <= bound(length), "{within} calls within {length} ms");
        }
    }
}

/// Windows or refills that have begun and ended while both called, whenever the first began.
fn whole_steps(time: u64) -> u64 {
    (CALLING_MS - 1) / time
}

fn numbers(limit: &Limit) -> (u64, u64, u64) {
    let time = u64::try_from(limit.time().as_millis()).unwrap();
    (u64::from(limit.count()), time, u64::from(limit.capacity()))
}

#[test]
fn a_counter_keeps_its_bound_and_wastes_nothing() {
    let admitted = run_workers("counter");
    let (count, time, _) = numbers(&worker_limits::named("counter").unwrap());
    never_above(&admitted, |length| count * (length.div_ceil(time) + 1));
    let due = count * whole_steps(time);
    assert!(admitted.len() as u64 * 100 >= due * 99, "{} of {due}", admitted.len());
}

#[test]
fn a_greedy_bucket_keeps_its_bound_and_wastes_nothing() {
    let admitted = run_workers("greedy");
    let (count, time, burst) = numbers(&worker_limits::named("greedy").unwrap());
    never_above(&admitted, |length| burst + (count * length).div_ceil(time) + 1);
    let due = burst + count * CALLING_MS / time;
    assert!(admitted.len() as u64 * 100 >= due * 99, "{} of {due}", admitted.len());
}

#[test]
fn an_interval_bucket_keeps_its_bound_and_wastes_nothing() {
    let admitted = run_workers("interval");
    let (count, time, burst) = numbers(&worker_limits::named("interval").unwrap());
    never_above(&admitted, |length| burst + count.min(burst) * (length / time + 1));
    let due = burst + count * whole_steps(time);
    assert!(admitted.len() as u64 * 100 >= due * 99, "{} of {due}", admitted.len());
}

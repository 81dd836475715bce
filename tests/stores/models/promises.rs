//! Tests the promises of the documentation on the definitions: bounds, the order of turns, exact retry-after, and refunds.

use crate::models::definitions::{Answer, Definition, Kind, Numbers, bound};
use ratelimit::store::Mode;
use std::time::Duration;

const BUCKETS: [Numbers; 7] = [
    Numbers::new(Kind::Greedy, 3, 1000),
    Numbers::new(Kind::Greedy, 7, 60).burst(2).borrow(3),
    Numbers::new(Kind::Greedy, 300, 1000).burst(50).wait(700),
    Numbers::new(Kind::Leaky, 5, 70).burst(9),
    Numbers::new(Kind::Interval, 3, 50).burst(10),
    Numbers::new(Kind::Interval, 10, 50).burst(4).borrow(3),
    Numbers::new(Kind::Interval, 4, 30).burst(6).wait(100),
];
const OTHERS: [Numbers; 8] = [
    Numbers::new(Kind::Counter, 5, 60),
    Numbers::new(Kind::Counter, 5, 60).wait(200),
    Numbers::new(Kind::Leaky, 5, 70).wait(100),
    Numbers::new(Kind::Leaky, 30, 7).wait(10),
    Numbers::new(Kind::Window, 10, 40),
    Numbers::new(Kind::Window, 10, 40).wait(120),
    Numbers::new(Kind::Log, 10, 40),
    Numbers::new(Kind::Log, 10, 40).wait(120),
];

/// A run of random calls. `released` has the time (µs) and the units of each admitted call, in order of arrival.
struct Run {
    numbers: Numbers,
    now: u64,
    definition: Box<dyn Definition>,
    random: fastrand::Rng,
    released: Vec<(u64, u32)>,
}

impl Run {
    fn new(numbers: Numbers, seed: u64) -> Self {
        let definition = numbers.definition();
        Self {
            numbers,
            now: 5_000_000,
            definition,
            random: fastrand::Rng::with_seed(seed),
            released: Vec::new(),
        }
    }

    fn decide(&mut self, mode: Mode, cost: u32) -> Answer {
        let answer = self.definition.decide(self.now, mode, cost, 0);
        if answer.allowed && mode != Mode::Peek && cost > 0 {
            let grain = if self.numbers.kind == Kind::Log { 1 } else { 1000 };
            self.released.push((self.now / grain * grain + answer.delay * 1000, cost));
        }
        answer
    }

    /// Makes a call like those of services: mostly small and soon after the last call, sometimes large or late.
    fn call(&mut self) -> (u32, Answer) {
        let grain = if self.numbers.kind == Kind::Log { 1 } else { 1000 };
        let most = self.numbers.time * 1000 / grain;
        self.now += grain
            * match self.random.u32(0..8) {
                0..=3 => 0,
                4..=6 => self.random.u64(0..=most / 8),
                _ => self.random.u64(0..=2 * most),
            };
        let cost = if self.random.bool() { 1 } else { self.random.u32(0..=self.numbers.capacity()) };
        let mode = self.random.choice([Mode::Check, Mode::Charge]).unwrap();
        (cost, self.decide(mode, cost))
    }

    /// Asserts a bound for all intervals. `bound` receives the length of a closed interval in µs.
    fn never_above(&self, bound: impl Fn(u64) -> u64) {
        for (i, (from, _)) in self.released.iter().enumerate() {
            let mut within = 0;
            for (at, units) in &self.released[i..] {
                within += u64::from(*units);
                let most = bound(at - from);
                assert!(within <= most, "{:?}: {within} in {} µs, not {most}", self.numbers, at - from);
            }
        }
    }
}

/// A run with many calls.
fn run(numbers: Numbers) -> Run {
    let mut run = Run::new(numbers, 1);
    for _ in 0..1500 {
        run.call();
    }
    assert!(run.released.len() > 100, "{numbers:?}");
    run
}

#[test]
fn no_interval_admits_more_than_is_promised() {
    for numbers in BUCKETS.into_iter().chain(OTHERS) {
        // A closed interval is a little longer than a half-open interval. In addition, the turns of a queue are rounded to
        // whole milliseconds.
        let (limit, longer) = (numbers.limit(), if numbers.is_queue() { 1000 } else { 1 });
        run(numbers).never_above(|length| bound(&limit, Duration::from_micros(length + longer)));
    }
}

#[test]
fn a_queue_spaces_single_calls_evenly() {
    let mut run = Run::new(Numbers::new(Kind::Leaky, 30, 7000).wait(3000), 2);
    for _ in 0..1500 {
        run.now += run.random.u64(0..400_000);
        run.decide(Mode::Charge, 1);
    }
    run.never_above(|length| 1 + (30 * length).div_ceil(7_000_000));
}

#[test]
fn turns_are_in_the_order_of_arrival() {
    for numbers in BUCKETS.into_iter().chain(OTHERS) {
        let run = run(numbers);
        assert!(run.released.is_sorted_by_key(|(at, _)| *at), "{numbers:?}");
        let delayed = run.released.iter().filter(|(at, _)| *at > run.now).count();
        assert!(delayed == 0 || numbers.wait > 0);
    }
}

#[test]
fn a_call_passes_exactly_at_retry_after() {
    for numbers in BUCKETS.into_iter().chain(OTHERS) {
        let (mut run, mut met) = (Run::new(numbers, 3), 0);
        for _ in 0..3000 {
            let (cost, answer) = run.call();
            assert_eq!(answer.retry_after.is_some() || cost > numbers.capacity(), !answer.allowed);
            if let Some(wait) = answer.retry_after {
                run.now += (wait - 1) * 1000;
                assert!(!run.decide(Mode::Peek, cost).allowed, "{numbers:?}: too late by a millisecond");
                run.now += 1000;
                assert!(run.decide(Mode::Check, cost).allowed, "{numbers:?}: too early");
                met += 1;
            }
        }
        assert!(met > 20, "{numbers:?}");
    }
}

#[test]
fn an_immediate_refund_leaves_no_trace() {
    let interval = |numbers: &Numbers| numbers.kind == Kind::Interval;
    for numbers in BUCKETS.into_iter().filter(|n| !interval(n)).chain(OTHERS) {
        let (mut run, mut met) = (Run::new(numbers, 4), 0);
        for _ in 0..1000 {
            run.call();
            let before = run.decide(Mode::Peek, 1);
            let cost = run.random.u32(1..=numbers.capacity());
            let charge = run.decide(Mode::Charge, cost);
            if charge.allowed {
                let now = run.now;
                assert_eq!(run.definition.give(now, cost, charge.stamp), cost, "{numbers:?}");
                let after = run.decide(Mode::Peek, 1);
                // A refund does not close the window or cell that the charge has opened, so a later decision may differ.
                let opens = matches!(numbers.kind, Kind::Counter | Kind::Window);
                assert!(opens || after == before, "{numbers:?}: {before:?} {after:?}");
                met += 1;
            }
        }
        assert!(met > 20, "{numbers:?}");
    }
}

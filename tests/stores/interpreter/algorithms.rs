//! Random operations on one limit: the functions of the scripts agree with the definition in every field.

use super::driver::{Interpreted, parts};
use crate::harness::{operations, seed};
use crate::models::definitions::{Kind, Numbers};
use crate::models::random::traffic::{Traffic, any_numbers};

const LIMITS: [Numbers; 36] = [
    Numbers::new(Kind::Counter, 1, 1),
    Numbers::new(Kind::Counter, 5, 60_000),
    Numbers::new(Kind::Counter, 7, 31_622_400_000),
    Numbers::new(Kind::Counter, 4_000_000_000, 500),
    Numbers::new(Kind::Counter, 4_000_000_000, 86_400_000 * 100).wait(86_400_000 * 90),
    Numbers::new(Kind::Counter, 3, 20).wait(40),
    Numbers::new(Kind::Counter, 5, 3_600_000).calendar("hour -00:30"),
    Numbers::new(Kind::Counter, 5, 604_800_000).calendar("week +14:00"),
    Numbers::new(Kind::Counter, 9, 2_678_400_000).calendar("month +05:45"),
    Numbers::new(Kind::Greedy, 7, 60_000).wait(60_000),
    Numbers::new(Kind::Greedy, 1 << 25, 1),
    Numbers::new(Kind::Greedy, 3, 1000),
    Numbers::new(Kind::Greedy, 7, 60_000).burst(10),
    Numbers::new(Kind::Greedy, 999_983, 1000).burst(5000),
    Numbers::new(Kind::Greedy, 1, 31_622_400_000),
    Numbers::new(Kind::Greedy, 7, 31_622_400_000).wait(31_622_400_000),
    Numbers::new(Kind::Greedy, 1 << 20, 1).burst(1 << 25),
    Numbers::new(Kind::Greedy, 300, 1000).burst(50).borrow(20).wait(300),
    Numbers::new(Kind::Greedy, 60, 7).burst(1),
    Numbers::new(Kind::Interval, 3, 1000),
    Numbers::new(Kind::Interval, 5, 60_000).burst(20),
    Numbers::new(Kind::Interval, 2, 7).burst(9).borrow(3).wait(30),
    Numbers::new(Kind::Interval, 1_000_000, 2_592_000_000),
    Numbers::new(Kind::Interval, 1, 1).burst(3),
    Numbers::new(Kind::Leaky, 7, 60_000).burst(10),
    Numbers::new(Kind::Leaky, 300, 1000).burst(50),
    Numbers::new(Kind::Leaky, 3, 1000).wait(2000),
    Numbers::new(Kind::Leaky, 300, 1000).wait(100),
    Numbers::new(Kind::Leaky, 60, 7).wait(50),
    Numbers::new(Kind::Window, 1, 1),
    Numbers::new(Kind::Window, 10, 1000),
    Numbers::new(Kind::Window, 1500, 60_000),
    Numbers::new(Kind::Window, 33_554_431, 60),
    Numbers::new(Kind::Window, 7, 31_622_400_000),
    Numbers::new(Kind::Window, 300, 100).wait(10),
    Numbers::new(Kind::Window, 5, 60_000).wait(100_000),
];

/// Makes operations until an outcome differs from the definition.
fn first_difference(numbers: Numbers, parts: &str, operations: usize, seed: u64) -> Option<String> {
    let (mut traffic, mut interpreted) = (Traffic::new(numbers, seed), Interpreted::new(numbers, parts));
    let mut done = 0;
    while done < operations {
        if !traffic.goes_on() {
            traffic = Traffic::new(numbers, seed + done as u64);
            interpreted = Interpreted::new(numbers, parts);
        }
        let (now, steps) = traffic.next();
        interpreted.set_clock(now);
        for ((key, operation), expected) in steps.iter().zip(traffic.expected(&steps)) {
            let found = interpreted.make(*key, *operation);
            if found != expected {
                return Some(format!("{numbers:?} at {now}: {operation:?}: {found:?}, not {expected:?}"));
            }
        }
        done += steps.len();
    }
    None
}

/// Asserts that `parts` decide as defined for limits of this kind.
pub(super) fn agree(kind: Kind, parts: &str, operations: usize, seed: u64) {
    let mut limits: Vec<Numbers> = LIMITS.into_iter().filter(|numbers| numbers.kind == kind).collect();
    let mut random = fastrand::Rng::with_seed(seed);
    limits.extend(std::iter::repeat_with(|| any_numbers(&mut random, kind).block([0; 3])).take(limits.len()));
    for numbers in &limits {
        assert_eq!(first_difference(*numbers, parts, operations / limits.len(), seed), None);
    }
}

fn agree_much(kind: Kind) {
    agree(kind, &parts(), operations(100_000), seed());
}

#[test]
fn the_counter_is_as_defined() {
    agree_much(Kind::Counter);
}

#[test]
fn the_greedy_bucket_is_as_defined() {
    agree_much(Kind::Greedy);
}

#[test]
fn the_interval_bucket_is_as_defined() {
    agree_much(Kind::Interval);
}

#[test]
fn the_leaky_bucket_is_as_defined() {
    agree_much(Kind::Leaky);
}

#[test]
fn the_sliding_window_is_as_defined() {
    agree_much(Kind::Window);
}

/// The test above would prove nothing if it could not fail.
#[test]
fn a_broken_algorithm_differs() {
    let parts = parts();
    for (numbers, from, to) in [
        (
            Numbers::new(Kind::Counter, 5, 60_000),
            "if cost <= room and left <= time_ms then",
            "if cost <= room + 1 and left <= time_ms then",
        ),
        (Numbers::new(Kind::Greedy, 7, 60_000), "if needs > room then", "if needs > room + 1 then"),
        (Numbers::new(Kind::Window, 10, 1000), "(seen + -seen % time_ms)", "(seen - seen % time_ms)"),
    ] {
        assert_eq!(parts.matches(from).count(), 1, "{from}");
        let broken = parts.replacen(from, to, 1);
        let caught = std::panic::catch_unwind(|| first_difference(numbers, &broken, 20_000, seed()));
        assert!(!matches!(caught, Ok(None)), "{from} -> {to} is not noticed");
    }
}

//! Tests of the numbers: the formula, its warm-up and memory, classes, and hostile costs.

use super::super::classes::MOST;
use super::super::{Estimator, NO_CLASS};
use fastrand::Rng;
use std::thread;

pub(super) fn estimator() -> &'static Estimator {
    Box::leak(Box::default())
}

/// Runs calls one after another.
pub(super) fn settle(estimator: &'static Estimator, costs: impl IntoIterator<Item = u32>) {
    costs.into_iter().for_each(|cost| estimator.estimate(u32::MAX).begin().settled(cost));
}

#[test]
fn the_ceiling_is_charged_until_32_calls_were_settled() {
    let estimator = estimator();
    settle(estimator, [300; 31]);
    assert_eq!(estimator.estimate(4096).units(), 4096);
    settle(estimator, [300]);
    assert_eq!([4096, 299, 1, 0].map(|ceiling| estimator.estimate(ceiling).units()), [300, 299, 1, 0]);
}

#[test]
fn more_calls_in_flight_need_a_smaller_margin() {
    let estimator = estimator();
    settle(estimator, (0..2000).map(|call| if call % 2 == 0 { 100 } else { 300 }));
    // The mean is 200, and the standard deviation is 100.
    let near = |estimated: u32, expected: u32| assert!(estimated.abs_diff(expected) <= 3, "{estimated}");
    near(estimator.estimate(4096).units(), 200 + 200);
    let calls: Vec<_> = (0..63).map(|_| estimator.estimate(4096).begin()).collect();
    near(estimator.estimate(4096).units(), 200 + 25);
    drop(calls);
    near(estimator.estimate(4096).units(), 200 + 200);
}

#[test]
fn what_was_learned_long_ago_fades() {
    let estimator = estimator();
    settle(estimator, std::iter::repeat_n(4000, 10_000));
    settle(estimator, std::iter::repeat_n(10, 256 * 20));
    assert!(estimator.estimate(u32::MAX).units() <= 11, "{:?}", estimator.estimate(u32::MAX));
}

#[test]
fn a_cost_of_zero_teaches_nothing() {
    let estimator = estimator();
    settle(estimator, [0; 1000]);
    assert_eq!(estimator.estimate(4096).units(), 4096);
    settle(estimator, [70; 32]);
    settle(estimator, [0; 1000]);
    assert_eq!((estimator.estimate(4096).units(), estimator.plain.in_flight()), (70, 0));
}

#[test]
fn a_call_is_counted_down_exactly_once() {
    let estimator = estimator();
    let estimate = estimator.estimate(9);
    assert_eq!(estimator.plain.in_flight(), 0, "an estimate that is not begun is not in flight");
    let calls = [(); 3].map(|()| estimate.begin());
    assert_eq!(estimator.plain.in_flight(), 3);
    let [settled, dropped, panics] = calls;
    settled.settled(5);
    drop(dropped);
    assert_eq!(estimator.plain.in_flight(), 1);
    let caught = std::panic::catch_unwind(move || {
        let _call = panics;
        std::panic::resume_unwind(Box::new(()));
    });
    assert!(caught.is_err());
    assert_eq!(estimator.plain.in_flight(), 0);
}

#[test]
fn classes_learn_by_themselves_and_are_at_most_64() {
    let estimator = estimator();
    for class in 0..1000_u32 {
        for _ in 0..32 {
            estimator.estimate_of(class, 5000).begin().settled(1 + class);
        }
    }
    assert_eq!(estimator.classes.len(), MOST);
    for class in 0..1000 {
        let expected = if class < 64 { 1 + class } else { 5000 };
        assert_eq!(estimator.estimate_of(class, 5000).units(), expected);
    }
    assert_eq!(estimator.estimate(5000).units(), 5000, "the calls without a class learn from no class");
}

#[test]
fn refused_calls_take_no_place_of_a_class() {
    let estimator = estimator();
    assert!((0..1000).all(|class| estimator.estimate_of(class, 7).units() == 7));
    assert_eq!(estimator.classes.len(), 0);
}

#[test]
fn no_cost_makes_an_estimate_above_its_ceiling_or_free() {
    let mut random = Rng::with_seed(7);
    let extremes = [0, 1, 2, 4096, u32::MAX / 2, u32::MAX - 1, u32::MAX];
    for _ in 0..200 {
        let estimator = estimator();
        let mut open = Vec::new();
        for _ in 0..500 {
            let any = random.u32(..);
            let ceiling = random.choice([extremes[random.clone().usize(0..7)], any]).unwrap();
            let estimate = estimator.estimate_class(random.choice([NO_CLASS, 1, 65]).unwrap(), ceiling);
            assert!(estimate.units() <= ceiling);
            assert_eq!(estimate.units() == 0, ceiling == 0, "a call is free only if its ceiling is 0");
            open.push(estimate.begin());
            if random.bool() {
                let cost = random.choice(extremes).unwrap(); // also above the ceiling
                open.swap_remove(random.usize(0..open.len())).settled(cost);
            }
        }
        drop(open);
        assert_eq!(estimator.plain.in_flight(), 0);
    }
}

#[test]
fn threads_lose_no_call() {
    let estimator = estimator();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for call in 0..20_000 {
                    estimator.estimate_of(call % 70, 4096).begin().settled(100);
                    estimator.estimate(4096).begin().settled(100);
                }
            });
        }
    });
    assert_eq!((estimator.plain.in_flight(), estimator.classes.len()), (0, MOST));
    assert_eq!(estimator.estimate(4096).units(), 100);
}

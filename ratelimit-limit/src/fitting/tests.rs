//! Tests of numbers that do not fit together, drawn over all algorithms and up to the largest number of each.

use super::super::rules::block::Block;
use super::super::rules::bounds::EXACT;
use super::*;
use crate::{Algorithm, Refill};
use fastrand::Rng;

/// A number of any size up to `most`.
fn any(random: &mut Rng, most: u64) -> u64 {
    let most = most >> random.u32(0..u64::BITS - most.leading_zeros());
    random.u64(0..=most.max(1))
}

fn any_u32(random: &mut Rng) -> u32 {
    u32::try_from(any(random, u32::MAX.into())).unwrap()
}

fn any_numbers(random: &mut Rng) -> Numbers {
    let algorithm = random.choice(Algorithm::ALL).unwrap();
    let count = any_u32(random);
    let is_token_bucket = algorithm == Algorithm::TokenBucket;
    let step = std::time::Duration::from_secs(60);
    Numbers {
        block: if random.bool() { Block::of(&[step]).unwrap() } else { Block::NONE },
        burst: if random.bool() { any_u32(random) } else { count },
        borrow: if is_token_bucket && random.bool() { any_u32(random) } else { 0 },
        refill: if is_token_bucket && random.bool() { Refill::Interval } else { Refill::Greedy },
        wait_ms: if random.bool() { any(random, MAX_TIME_MS) } else { 0 },
        lease: if random.bool() { Lease::Most(any_u32(random)) } else { Lease::Auto },
        ..Numbers::new(algorithm, count, any(random, MAX_TIME_MS).max(1))
    }
}

/// The rate in units per 2^53 ms, so that rates can be compared as integers.
fn rate(numbers: &Numbers) -> u128 {
    EXACT * u128::from(numbers.count) / u128::from(numbers.time_ms)
}

#[test]
fn numbers_that_do_not_fit_become_tighter() {
    let mut random = Rng::with_seed(7);
    let mut fitted = 0;
    for _ in 0..200_000 {
        let numbers = any_numbers(&mut random);
        let limit = Limit::fitting(numbers).unwrap_or_else(|error| panic!("{error}: {numbers:?}"));
        if Limit::of(numbers).is_ok() {
            assert_eq!(limit.numbers, numbers);
            continue;
        }
        fitted += 1;
        let now = limit.numbers;
        assert_eq!((now.algorithm, now.refill), (numbers.algorithm, numbers.refill));
        assert!(rate(&now) <= rate(&numbers) && now.borrow <= numbers.borrow, "{now:?} of {numbers:?}");
        assert!(now.count <= numbers.count && now.wait_ms <= numbers.wait_ms, "{now:?} of {numbers:?}");
        assert_eq!(now.is_queue(), numbers.is_queue(), "{now:?} of {numbers:?}");
        let burst = if limit.is_bucket() && !now.is_queue() { numbers.burst } else { numbers.count };
        assert!(now.burst <= burst, "{now:?} of {numbers:?}");
        assert_eq!(limit.refuses_all(), numbers.count == 0 || burst.saturating_add(numbers.borrow) == 0);
    }
    assert!(fitted > 50_000, "{fitted}");
}

#[test]
fn a_lease_follows_the_other_numbers() {
    let second = std::time::Duration::from_secs(1);
    for (limit, units, expected) in [
        (Limit::counter(1000, second), 500, 500),
        (Limit::counter(999, second), 500, 499),
        (Limit::counter(1, second), 500, 0),
        (Limit::token_bucket(9, second).burst(20).borrow(10), 500, 15),
        (Limit::counter(1000, second).wait(second), 500, 0),
        (Limit::sliding_log(1000, second), 500, 0),
    ] {
        let leased = limit.with_lease_up_to(units).unwrap();
        assert_eq!(leased.largest_lease(), expected, "{limit}");
        assert_eq!(leased.capacity(), limit.capacity());
    }
}

#[test]
fn a_rate_that_is_not_exact_becomes_a_simple_one() {
    let fitted = |count, time_ms| {
        let bucket = Numbers::new(Algorithm::TokenBucket, count, time_ms);
        let now = Limit::fitting(Numbers { burst: 1 << 24, ..bucket }).unwrap().numbers;
        (now.count, now.time_ms)
    };
    // The time is rounded up to whole ms, so that the rate is not higher.
    assert_eq!(fitted(999_983, 31_622_399_999), (1, 31_623));
    assert_eq!(fitted(99_999_989, 31_622_399_999), (1, 943), "a used-up bucket refills within a year");
}

//! Cases that the definitions do not cover: limits that change under a key, stacks, mixed batches, and a clock that
//! steps back. The script and its Rust twin still agree, and their decisions are plausible.

use crate::harness::{TestRequest, Twins, operations, seed};
use crate::models::random::mixed_traffic::{differs_at, first_difference};
use crate::models::random::shorten;
use ratelimit::store::Mode;
use ratelimit::{Algorithm, Decision, Limit, Refill};
use std::time::Duration;

/// The longest life of a state, as in `lua/token_bucket.lua`. Units that were charged under one limit may leak under the other.
const LONGEST_TTL: u64 = 100_000_000_000;

async fn agree(algorithms: &[Algorithm], operations: usize, back: bool, seed: u64) {
    let mut twins = Twins::start();
    if let Some(mut calls) = first_difference(&mut twins, algorithms, operations, back, seed).await {
        let shortened = shorten(&mut calls, async |calls| differs_at(&mut twins, calls).await).await;
        let calls: Vec<_> = calls.iter().map(|(now, call)| format!("at {now} µs {call:?}")).collect();
        let how = if shortened { "shortened" } else { "only once" };
        panic!("the twins differ ({how}) after\n{}", calls.join("\n"));
    }
    let longest = twins.longest_ttl();
    assert!(back || longest <= LONGEST_TTL, "a key that lives for {longest} ms");
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[tokio::test]
async fn the_twins_agree_when_limits_change_and_stack() {
    agree(&Algorithm::ALL, operations(60_000), false, seed()).await;
}

#[tokio::test]
async fn the_twins_agree_when_the_clock_steps_back() {
    agree(&Algorithm::ALL, operations(60_000), true, seed() + 1).await;
}

/// A bucket has the only state that depends on two limits: the anchor and the life of the one, the units of the other.
#[tokio::test]
async fn the_twins_agree_when_limits_of_buckets_change() {
    agree(&[Algorithm::TokenBucket, Algorithm::LeakyBucket], operations(60_000), false, seed() + 2).await;
}

#[tokio::test]
async fn a_stack_is_charged_as_a_whole_or_not_at_all() {
    let mut twins = Twins::start();
    let one_of = [
        Limit::counter(1, ms(1000)),
        Limit::token_bucket(1, ms(1000)),
        Limit::sliding_window(1, ms(1000)),
        Limit::sliding_log(1, ms(1000)),
        Limit::leaky_bucket(1, ms(1000)),
        Limit::concurrency(1, ms(1000)),
    ];
    for narrow in one_of {
        twins.clear();
        twins.set_clock(1_000_000);
        let wide = TestRequest { with_next: true, ..TestRequest::new(0, Limit::counter(5, ms(60_000)), 2) };
        let stack = [
            wide,
            TestRequest { with_next: true, ..TestRequest::new(1, narrow, 1).with_permit(7) },
            TestRequest { with_next: false, key: 2, ..wide },
        ];
        let alone = [TestRequest { cost: 0, with_next: false, ..wide }];
        for (allowed, left) in [(true, 3), (false, 3)] {
            let decisions = twins.decide(Mode::Check, &stack).await;
            assert_eq!(decisions.iter().all(Decision::is_allowed), allowed, "{narrow}");
            assert_eq!(twins.decide(Mode::Peek, &alone).await[0].remaining(), left, "{narrow}");
        }
    }
}

#[tokio::test]
async fn a_refused_call_changes_nothing() {
    let mut twins = Twins::start();
    for algorithm in Algorithm::ALL {
        let limit: Limit = format!("{} count=3 time=10s", algorithm.as_str()).parse().unwrap();
        refused_until_the_time_that_was_named(&mut twins, limit).await;
    }
    let by_interval = Limit::token_bucket(3, ms(10_000)).refill(Refill::Interval);
    refused_until_the_time_that_was_named(&mut twins, by_interval).await;
}

async fn refused_until_the_time_that_was_named(twins: &mut Twins, limit: Limit) {
    twins.clear();
    let one = TestRequest::new(0, limit, 1);
    twins.set_clock(1_000_000);
    twins.decide(Mode::Check, &[TestRequest { cost: 3, ..one }.with_permit(5)]).await;
    twins.set_clock(2_000_000);
    let before = twins.decide(Mode::Peek, &[one]).await;
    assert!(!before[0].is_allowed(), "{limit}");
    for mode in [Mode::Check, Mode::Charge, Mode::Peek] {
        assert_eq!(twins.decide(mode, &[one]).await, before, "{limit}");
    }
    // The call passes at exactly retry-after, and not a millisecond earlier.
    let wait = u64::try_from(before[0].retry_after().unwrap().as_micros()).unwrap();
    twins.set_clock(2_000_000 + wait - 1000);
    assert!(!twins.decide(Mode::Check, &[one]).await[0].is_allowed(), "{limit}");
    twins.set_clock(2_000_000 + wait);
    assert!(twins.decide(Mode::Check, &[one]).await[0].is_allowed(), "{limit}");
}

/// So a clock that then steps back finds it in both stores, or in none.
#[tokio::test]
async fn a_state_is_gone_in_both_stores_in_the_same_millisecond() {
    let mut twins = Twins::start();
    // The last milliseconds of each state. A bucket with a period of 1 ms lives 512 ms.
    for (limit, ends) in [
        (Limit::counter(1, ms(5)), 1..=10),
        (Limit::sliding_window(1, ms(5)), 1..=15),
        (Limit::token_bucket(1, ms(1)), 505..=520),
        (Limit::leaky_bucket(1, ms(1)).wait(ms(1)), 505..=520),
    ] {
        let one = [TestRequest::new(0, limit, 1)];
        for end in ends {
            twins.clear();
            for (now, mode) in [(0, Mode::Check), (end, Mode::Peek), (0, Mode::Peek)] {
                twins.set_clock(1_000_000_000_000 + now * 1000);
                twins.decide(mode, &one).await;
            }
        }
    }
}

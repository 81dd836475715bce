//! Cases that the definitions do not cover: limits that change under a key, stacks, mixed batches, and a clock that steps back.
//! The script and its Rust twin must still agree and make plausible decisions.

use crate::harness::{TestRequest, Twins, operations, seed};
use crate::models::random::mixed_traffic::{differs_at, first_difference, ms};
use crate::models::random::shorten;
use ratelimit::store::Mode;
use ratelimit::{Algorithm, Limit};

/// The longest TTL of a state in ms, as in `lua/token_bucket.lua`. Units that were charged under one limit may leak under
/// another limit.
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

#[tokio::test]
async fn the_twins_agree_when_limits_change_and_stack() {
    agree(&Algorithm::ALL, operations(60_000), false, seed()).await;
    // Buckets get more operations, because only the state of a bucket depends on two limits: its anchor and its TTL come from
    // one limit, and its units from the other limit.
    agree(&[Algorithm::TokenBucket, Algorithm::LeakyBucket], operations(60_000), false, seed() + 2).await;
}

#[tokio::test]
async fn the_twins_agree_when_the_clock_steps_back() {
    agree(&Algorithm::ALL, operations(60_000), true, seed() + 1).await;
}

/// If the clock steps back afterwards, both stores still have the state, or neither has it.
#[tokio::test]
async fn a_state_is_gone_in_both_stores_in_the_same_millisecond() {
    let mut twins = Twins::start();
    // The milliseconds around the end of each state. A bucket with a period of 1 ms lives for 512 ms.
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

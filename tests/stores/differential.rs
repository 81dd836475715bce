//! Random operations under a clock that the test moves: the script, its Rust twin and the definition agree in every
//! field.

use crate::definitions::{Counter, Definition, Greedy, Interval, decide};
use crate::setup::{Ask, Question, Twins, ask};
use ratelimit::{Limit, Refill};
use std::time::Duration;

const KEYS: usize = 6;

/// Operations per algorithm in the ordinary run; `RATELIMIT_OPERATIONS` asks for more.
fn operations() -> usize {
    std::env::var("RATELIMIT_OPERATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(100_000)
}

/// A seed per run would make failures hard to meet again; `RATELIMIT_SEED` gives another.
fn random() -> fastrand::Rng {
    let seed = std::env::var("RATELIMIT_SEED").ok().and_then(|n| n.parse().ok());
    fastrand::Rng::with_seed(seed.unwrap_or(20_261_121))
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Mostly small steps, some around the period, some beyond it.
fn step(random: &mut fastrand::Rng, period: u64) -> u64 {
    match random.u32(0..10) {
        0..=2 => 0,
        3 => 1,
        4..=6 => random.u64(0..=period / 4 + 1),
        7 => period - 1 + random.u64(0..3),
        8 => random.u64(0..=2 * period),
        _ => random.u64(0..=8 * period),
    }
}

/// Decides the same requests three times, and compares.
async fn agree(
    limit: Limit,
    definition: impl Fn() -> Box<dyn Definition>,
    operations: usize,
    random: &mut fastrand::Rng,
) {
    let mut twins = Twins::start();
    let mut definitions: Vec<Box<dyn Definition>> = (0..KEYS).map(|_| definition()).collect();
    let period = u64::try_from(limit.time().as_millis()).unwrap();
    let (mut now, mut done) = (1_000_000, 0);
    while done < operations {
        now += step(random, period);
        twins.set_clock(now);
        let question = if random.u32(0..10) == 0 { Question::Peek } else { Question::Decide };
        let asks: Vec<Ask> = (0..random.usize(1..=12))
            .map(|_| Ask {
                key: random.usize(0..KEYS),
                limit,
                cost: if random.bool() { 1 } else { random.u32(0..=limit.capacity().saturating_mul(2)) },
                with_next: false,
            })
            .collect();
        let expected: Vec<_> = asks
            .iter()
            .map(|ask| {
                decide(&mut *definitions[ask.key], &limit, now, ask.cost, question == Question::Decide)
            })
            .collect();
        assert_eq!(
            ask(&twins.memory, question, &asks).await,
            expected,
            "memory at {now}: {question:?} {asks:?}"
        );
        assert_eq!(
            ask(&twins.redis, question, &asks).await,
            expected,
            "script at {now}: {question:?} {asks:?}"
        );
        done += asks.len();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_counter_is_as_defined() {
    let random = &mut random();
    let limits = [(1, 1), (1, 1000), (5, 60_000), (100, 1000), (7, 86_400_000), (4_000_000_000, 500)];
    for (count, time) in limits {
        let definition = || Box::new(Counter { count, time, now: 0, window: None }) as Box<dyn Definition>;
        agree(Limit::counter(count, ms(time)), definition, operations() / limits.len() + 1, random).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_greedy_bucket_is_as_defined() {
    let random = &mut random();
    let limits = [
        (3, 1000, 3),
        (7, 60_000, 10),
        (300, 1000, 50),
        (999_983, 1000, 5000),
        (1, 86_400_000, 2),
        (1, 1, 1),
        (1000, 1, 100_000),
        (60, 7, 1),
        (1, 31_622_400_000, 1),
    ];
    for (count, time, burst) in limits {
        let definition = || Box::new(Greedy { count, time, burst, now: 0, level: 0 }) as Box<dyn Definition>;
        let limit = Limit::token_bucket(count, ms(time)).burst(burst);
        agree(limit, definition, operations() / limits.len() + 1, random).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_interval_bucket_is_as_defined() {
    let random = &mut random();
    let limits = [
        (3, 1000, 3),
        (5, 60_000, 20),
        (20, 60_000, 5),
        (1, 1, 1),
        (1_000_000, 2_592_000_000, 1_000_000),
        (2, 7, 9),
    ];
    for (count, time, burst) in limits {
        let definition =
            || Box::new(Interval { count, time, burst, now: 0, taken: 0, step: 0 }) as Box<dyn Definition>;
        let limit = Limit::token_bucket(count, ms(time)).burst(burst).refill(Refill::Interval);
        agree(limit, definition, operations() / limits.len() + 1, random).await;
    }
}

//! What definitions do not cover: limits that change under a key, stacks, mixed batches, a clock that steps back. The
//! script and its Rust twin agree here too, and what they answer stays in bounds.

use crate::setup::{Ask, Question, Twins, ask};
use ratelimit::{Decision, Limit, Refill};
use std::time::Duration;

fn any_limit(random: &mut fastrand::Rng) -> Limit {
    let time = Duration::from_millis(random.choice([1, 7, 250, 1000, 1500, 60_000]).unwrap());
    let count = random.choice([1, 2, 5, 12, 300]).unwrap();
    match random.u32(0..4) {
        0 | 1 => Limit::counter(count, time),
        greedy => {
            let refill = if greedy == 2 { Refill::Greedy } else { Refill::Interval };
            Limit::token_bucket(count, time).burst(random.choice([1, 3, 10, 400]).unwrap()).refill(refill)
        }
    }
}

/// Twice the longest of these limits' periods, and a second.
const LONGEST_TTL: u64 = 2 * 400 * 60_000 + 1000;

fn batch(random: &mut fastrand::Rng, keys: usize) -> Vec<Ask> {
    let mut asks = Vec::new();
    while asks.len() < random.usize(1..=8) {
        let members = if random.u32(0..4) == 0 { random.usize(2..=4) } else { 1 };
        let mut of_stack: Vec<usize> = (0..keys).collect();
        random.shuffle(&mut of_stack);
        for (i, key) in of_stack.into_iter().take(members).enumerate() {
            let limit = any_limit(random);
            let cost = if random.bool() { 1 } else { random.u32(0..=limit.capacity() + 2) };
            asks.push(Ask { key, limit, cost, with_next: i + 1 < members });
        }
    }
    asks
}

/// What holds for every answer, whatever has happened before.
fn plausible(ask: &Ask, decision: &Decision) {
    assert!(decision.remaining() <= decision.limit());
    assert_eq!(decision.limit(), ask.limit.capacity());
    match (decision.allowed(), decision.retry_after()) {
        (true, None) => {}
        (false, None) => assert!(ask.cost > ask.limit.capacity(), "never, though {ask:?} could fit"),
        (false, Some(wait)) => assert!(wait >= Duration::from_millis(1)),
        (true, Some(_)) => panic!("an allowed call has nothing to wait for"),
    }
}

async fn agree(operations: usize, back: bool, seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut twins = Twins::start();
    let (mut now, mut done) = (10_000_000_u64, 0);
    while done < operations {
        now += random.choice([0, 0, 1, 3, 80, 700, 30_000, 400_000]).unwrap();
        if back && random.u32(0..20) == 0 {
            now -= random.choice([1, 5, 900, 70_000]).unwrap();
        }
        twins.set_clock(now);
        let question = if random.u32(0..10) == 0 { Question::Peek } else { Question::Decide };
        let asks = batch(&mut random, 5);
        let by_script = ask(&twins.redis, question, &asks).await;
        let by_twin = ask(&twins.memory, question, &asks).await;
        assert_eq!(by_script, by_twin, "seed {seed} at {now}: {question:?} {asks:?}");
        asks.iter().zip(&by_script).for_each(|(ask, decision)| plausible(ask, decision));
        done += asks.len();
    }
    if !back {
        let longest = twins.longest_ttl(now);
        assert!(longest <= LONGEST_TTL, "a key that lives for {longest} ms");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_twins_agree_when_limits_change_and_stack() {
    agree(60_000, false, 7).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_twins_agree_when_the_clock_steps_back() {
    agree(60_000, true, 8).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stack_is_charged_as_a_whole_or_not_at_all() {
    let mut twins = Twins::start();
    twins.set_clock(1000);
    let wide = Limit::counter(5, Duration::from_secs(60));
    let narrow = Limit::token_bucket(1, Duration::from_secs(1));
    let stack = [
        Ask { key: 0, limit: wide, cost: 2, with_next: true },
        Ask { key: 1, limit: narrow, cost: 1, with_next: false },
    ];
    let alone = [Ask { cost: 0, with_next: false, ..stack[0] }];
    for (allowed, left) in [(true, 3), (false, 3)] {
        let by_script = ask(&twins.redis, Question::Decide, &stack).await;
        assert_eq!(by_script.iter().all(Decision::allowed), allowed);
        assert_eq!(by_script, ask(&twins.memory, Question::Decide, &stack).await);
        assert_eq!(ask(&twins.redis, Question::Peek, &alone).await[0].remaining(), left);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_call_changes_nothing() {
    let mut twins = Twins::start();
    for limit in [
        Limit::counter(3, Duration::from_secs(10)),
        Limit::token_bucket(3, Duration::from_secs(10)),
        Limit::token_bucket(3, Duration::from_secs(10)).refill(Refill::Interval),
    ] {
        let key = limit.algorithm() as usize * 2 + usize::from(limit == limit_by_interval());
        let one = Ask { key, limit, cost: 1, with_next: false };
        twins.set_clock(0);
        ask(&twins.redis, Question::Decide, &[Ask { cost: 3, ..one }]).await;
        twins.set_clock(1000);
        let before = ask(&twins.redis, Question::Peek, &[one]).await;
        assert!(!before[0].allowed());
        for _ in 0..5 {
            assert_eq!(ask(&twins.redis, Question::Decide, &[one]).await, before);
        }
        // After exactly the time that was named, and not a millisecond earlier.
        let wait = u64::try_from(before[0].retry_after().unwrap().as_millis()).unwrap();
        twins.set_clock(1000 + wait - 1);
        assert!(!ask(&twins.redis, Question::Decide, &[one]).await[0].allowed());
        twins.set_clock(1000 + wait);
        assert!(ask(&twins.redis, Question::Decide, &[one]).await[0].allowed());
    }
}

fn limit_by_interval() -> Limit {
    Limit::token_bucket(3, Duration::from_secs(10)).refill(Refill::Interval)
}

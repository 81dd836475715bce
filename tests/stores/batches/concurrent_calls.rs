//! Concurrent calls share script calls. Each call is counted once, in order of arrival, and receives its own decision.

use crate::harness::{
    TestRequest, Twins, checks, cluster_of_one, decide, decision, in_mode, join, key, limiter_on,
    limiter_on_slots, operations, poll_once, script_calls, seed,
};
use crate::models::definitions::{Kind, Numbers};
use ratelimit::store::Mode;
use ratelimit::{Decision, Key, Limit, OnError, RateLimiter, RedisStore};
use support::{DAY, RedisServer, SECOND};

/// Calls a limit from several tasks, which use several keys in turn. Returns for each key the units that remained after each
/// admitted call.
async fn call(limiter: &RateLimiter, tasks: usize, each: usize, keys: usize, limit: Limit) -> Vec<Vec<u32>> {
    let calling: Vec<_> = (0..tasks)
        .map(|task| {
            let limiter = limiter.clone();
            tokio::spawn(async move {
                let mut allowed = Vec::new();
                for n in 0..each {
                    let key = (task + n) % keys;
                    let decision =
                        decision(limiter.check(&limit, Key::new("together").by((keys, key))).await);
                    if decision.is_allowed() {
                        allowed.push((key, decision.remaining()));
                    }
                }
                allowed
            })
        })
        .collect();
    let mut left: Vec<Vec<u32>> = (0..keys).map(|_| Vec::new()).collect();
    for task in calling {
        for (key, remaining) in task.await.unwrap() {
            left[key].push(remaining);
        }
    }
    left
}

/// Asserts that each unit is given to one call: every admitted call sees a different number of remaining units.
async fn each_unit_is_given_once(
    limiter: &RateLimiter,
    limit: Limit,
    tasks: usize,
    each: usize,
    keys: usize,
) {
    for mut left in call(limiter, tasks, each, keys, limit).await {
        left.sort_unstable();
        assert_eq!(left, (0..limit.count()).collect::<Vec<_>>(), "{limit}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_is_counted_once() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).on_error(OnError::Deny).connect().await.unwrap();
    for limit in
        [Limit::counter(5000, DAY), Limit::token_bucket(5000, 366 * DAY), Limit::sliding_window(5000, DAY)]
    {
        each_unit_is_given_once(&limiter, limit, 256, 40, 1).await;
    }
    assert!(script_calls(&server) < 3 * 256 * 40 / 4, "they have not gone together");
    each_unit_is_given_once(&limiter, Limit::counter(80, DAY), 200, 100, 97).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_is_counted_once_on_slots() {
    let server = cluster_of_one();
    let limiter =
        limiter_on_slots(&server).on_error(OnError::Deny).deny_cache(false).connect().await.unwrap();
    each_unit_is_given_once(&limiter, Limit::counter(80, DAY), 100, 100, 50).await;
    assert!(script_calls(&server) < 100 * 100, "those on one slot have not gone together");
}

/// Limits with these numbers, for each algorithm except concurrency.
fn limits(numbers: impl Fn(Kind) -> [Numbers; 2]) -> Vec<Limit> {
    let kinds = [Kind::Counter, Kind::Greedy, Kind::Interval, Kind::Leaky, Kind::Window, Kind::Log];
    kinds.into_iter().flat_map(numbers).map(|numbers| numbers.limit()).collect()
}

/// Compares concurrent calls with the same calls one after another, in many rounds.
async fn decided_as_one_by_one(mode: Mode, limits: &[Limit]) {
    let mut twins = Twins::start();
    let mut random = fastrand::Rng::with_seed(seed());
    // Makes the server load the scripts. A call whose script is missing is sent again, so it would be decided after later
    // calls.
    let mut now = 1_763_000_000_000_000;
    twins.set_clock(now);
    for limit in limits {
        join(in_mode(&twins.redis, mode, &[TestRequest::new(0, *limit, 1); 3])).await;
    }
    twins.clear();
    for _ in 0..operations(200) {
        now += random.choice([0, 1000, 250_000, 1_000_000, 60_000_000]).unwrap();
        twins.set_clock(now);
        let few = random.bool();
        let requests: Vec<TestRequest> = (0..random.usize(1..120))
            .map(|_| {
                let limit = limits[random.usize(..if few { 2 } else { limits.len() })];
                let cost = random.choice([0, 1, 1, 1, 1, 2, 5, 13]).unwrap();
                TestRequest::new(random.usize(..if few { 3 } else { 20 }), limit, cost)
            })
            .collect();
        let found = join(in_mode(&twins.redis, mode, &requests)).await;
        let mut expected = Vec::new();
        for one in &requests {
            expected.push(decide(&twins.memory, mode, &[*one]).await.unwrap()[0]);
        }
        for (at, (found, alone)) in found.into_iter().zip(&expected).enumerate() {
            let found = found.unwrap();
            if mode == Mode::Charge {
                assert_eq!(found, *alone, "{at}: {:?}", requests[at]);
                continue;
            }
            let named = |decision: &Decision| {
                (decision.is_allowed(), decision.capacity(), decision.remaining(), decision.retry_after())
            };
            assert_eq!(named(&found), named(alone), "{at}: {:?}", requests[at]);
            // If a call was charged together with other calls, its `reset_after` may include the units of those calls.
            let same_key =
                |one: &TestRequest| key(one.key, &one.limit) == key(requests[at].key, &requests[at].limit);
            let latest = requests.iter().zip(&expected).filter(|(one, _)| same_key(one));
            let latest = latest.map(|(_, decision)| decision.reset_after()).max();
            assert!(
                (alone.reset_after()..=latest.unwrap()).contains(&found.reset_after()),
                "{at}: {:?}: {found:?} and {alone:?}",
                requests[at]
            );
        }
    }
}

#[tokio::test]
async fn checks_are_decided_as_if_they_had_come_one_by_one() {
    let mut limits = limits(|kind| [Numbers::new(kind, 12, 60_000), Numbers::new(kind, 300, 1000)]);
    limits.extend([Limit::try_counter(0, SECOND).unwrap(), Limit::counter(5, SECOND).wait(SECOND)]);
    decided_as_one_by_one(Mode::Check, &limits).await;
}

/// Turns and stamps follow the order in which the calls arrive.
#[tokio::test]
async fn charges_are_decided_as_if_they_had_come_one_by_one() {
    let limits = limits(|kind| [Numbers::new(kind, 12, 60_000), Numbers::new(kind, 12, 1000).wait(1500)]);
    decided_as_one_by_one(Mode::Charge, &limits).await;
}

#[tokio::test]
async fn checks_and_charges_at_the_same_time_are_all_counted() {
    let server = RedisServer::start();
    let store = RedisStore::new(&server.url()).unwrap();
    let one = TestRequest::new(0, Limit::counter(100, DAY), 1);
    let mut all = Vec::new();
    for _ in 0..20 {
        all.extend(checks(&store, &[one]));
        all.extend(in_mode(&store, Mode::Charge, &[one]));
    }
    let answers: Vec<_> = join(all).await.into_iter().map(Result::unwrap).collect();
    let mut left: Vec<u32> = answers.iter().map(Decision::remaining).collect();
    left.sort_unstable();
    assert_eq!(left, (60..100).collect::<Vec<_>>());
    let stamped = |charged: usize| {
        answers.iter().skip(charged).step_by(2).all(|answer| (answer.stamp() > 0) == (charged == 1))
    };
    assert!(stamped(0) && stamped(1));
    assert!(script_calls(&server) <= 8, "one ahead, all calls, and all charges, each by text at first");
}

#[tokio::test]
async fn a_call_that_is_dropped_in_the_queue_is_not_sent() {
    let server = RedisServer::start();
    let store = RedisStore::new(&server.url()).unwrap();
    let limit = Limit::counter(100, DAY);
    decide(&store, Mode::Check, &[TestRequest::new(0, limit, 1)]).await.unwrap();
    let mut all = checks(&store, &[TestRequest::new(0, limit, 1); 20]);
    for pending in &mut all {
        assert!(poll_once(pending).await.is_pending());
    }
    drop(all.split_off(5));
    let answers = join(all).await;
    assert_eq!(answers.len(), 5);
    let left = decide(&store, Mode::Peek, &[TestRequest::new(0, limit, 1)]).await.unwrap()[0].remaining();
    assert_eq!(left, 100 - 1 - 5 - 1 + 1, "one to connect, five of twenty");
}

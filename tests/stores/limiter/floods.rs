//! Floods of refused calls: few of them reach the server.

use crate::harness::{decision, limiter_on, rounds};
use ratelimit::{Key, Limit, OnError};
use std::time::Instant;
use support::{RedisServer, SECOND};
use tokio::task::JoinSet;

const TASKS: u32 = 16;

/// The calls of a flood, and the script calls that it caused.
struct Flood {
    calls: u32,
    script_calls: u32,
    seconds: f64,
}

/// Calls keys that are used up, from several tasks.
async fn flood(keys: u32, calls: u32) -> Flood {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).on_error(OnError::Deny).connect().await.unwrap();
    let limit = Limit::counter(1, SECOND * 600);
    let call_all = async |calls: u32| {
        let mut calling = JoinSet::new();
        for task in 0..TASKS {
            let limiter = limiter.clone();
            calling.spawn(async move {
                let mut allowed = 0;
                for n in (task..calls).step_by(TASKS as usize) {
                    let key = Key::new("flood").by(n % keys);
                    allowed += u32::from(decision(limiter.check(&limit, key).await).is_allowed());
                }
                allowed
            });
        }
        calling.join_all().await.into_iter().sum::<u32>()
    };
    assert_eq!(call_all(keys).await, keys);
    let (before, start) = (crate::harness::script_calls(&server), Instant::now());
    assert_eq!(call_all(calls).await, 0);
    let script_calls = u32::try_from(crate::harness::script_calls(&server) - before).unwrap();
    Flood { calls, script_calls, seconds: start.elapsed().as_secs_f64() }
}

impl Flood {
    /// Asserts that each key reached the server at the start and then at most once per second, with a margin for
    /// calls at the same moment.
    fn assert_bounded(&self, keys: u32) {
        let Self { calls, script_calls, seconds } = *self;
        println!("{script_calls} of {calls} calls in {seconds:.1} s reached the server");
        let most = f64::from(keys) * (seconds + 1.0) + f64::from(calls) / 1000.0;
        assert!(
            f64::from(script_calls) <= most,
            "{script_calls} of {calls} in {seconds} s, at most {most} expected"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_on_some_keys_rarely_reaches_the_server() {
    let flood = flood(1000, rounds(200_000, 10_000_000)).await;
    flood.assert_bounded(1000);
    // In a shorter flood, the one script call for each key and second is a larger share.
    if flood.calls >= 10_000_000 {
        assert!(flood.script_calls < flood.calls / 50, "{} of {}", flood.script_calls, flood.calls);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flood_on_many_keys_asks_once_per_key_and_second() {
    let keys = rounds(2000, 100_000);
    flood(keys, rounds(200_000, 2_000_000)).await.assert_bounded(keys);
}

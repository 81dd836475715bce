//! Compares the model of Redis in the fleet example with the real store. Both must need the same number of script calls.

#[path = "../../../examples/charts/fleet/wire.rs"]
mod model;

use crate::harness::{PATIENCE, decision, limiter_on, script_calls};
use model::{Redis, Wire};
use ratelimit::{Key, Limit, OnError, RateLimiter};
use support::{HOUR, RedisServer};
use tokio::task::JoinSet;

const LIMIT: Limit = Limit::counter(1000, HOUR);

/// Makes concurrent calls. Returns the number of admitted calls.
async fn passed_at_once(limiter: &RateLimiter, calls: u32, by: u32) -> usize {
    let mut calling = JoinSet::new();
    for _ in 0..calls {
        let limiter = limiter.clone();
        calling.spawn(
            async move { decision(limiter.check(&LIMIT, Key::new("calls").by(by)).await).is_allowed() },
        );
    }
    calling.join_all().await.into_iter().filter(|allowed| *allowed).count()
}

/// Makes concurrent calls, one group for each number in `sizes`. Returns the number of admitted calls and of script calls for
/// each group. On one thread, all calls of a group arrive before the first reply.
async fn measured(limiter: &RateLimiter, sizes: &[u32], script_calls: impl Fn() -> u64) -> Vec<(usize, u64)> {
    let mut all = Vec::new();
    for (by, size) in (1..).zip(sizes) {
        let before = script_calls();
        let passed = passed_at_once(limiter, *size, by).await;
        all.push((passed, script_calls() - before));
    }
    all
}

#[tokio::main(flavor = "current_thread")]
async fn real(sizes: &[u32]) -> Vec<(usize, u64)> {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).on_error(OnError::Deny).connect().await.unwrap();
    // Makes the limiter load its overrides, and the server load the scripts.
    passed_at_once(&limiter, 300, 0).await;
    measured(&limiter, sizes, || script_calls(&server)).await
}

#[tokio::main(flavor = "current_thread")]
async fn modelled(sizes: &[u32]) -> Vec<(usize, u64)> {
    let redis = Redis::new();
    // On a busy machine, 1100 calls may take longer than the default deadline.
    let limiter = RateLimiter::builder().store(Wire::new(&redis, true)).deadline(PATIENCE);
    let limiter = limiter.on_error(OnError::Deny).connect().await.unwrap();
    measured(&limiter, sizes, || redis.calls()).await
}

#[test]
fn the_fleet_model_makes_as_many_script_calls_as_the_store() {
    let sizes = [1, 2, 3, 50, 129, 130, 257, 258, 1100];
    let (real, modelled) = (real(&sizes), modelled(&sizes));
    assert_eq!(modelled, real, "admitted calls and script calls, for {sizes:?} concurrent calls");
    assert_eq!(real[0], (1, 1));
    assert_eq!(real[2], (3, 1));
    assert_eq!(modelled[8].0, 1000);
}

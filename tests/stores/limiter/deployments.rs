//! Two versions of a service on one server during a deployment, and a server that restarts without its data. Tests the promises
//! of the pages *Upgrades* and *Deploy and operate*.

use crate::harness::{decision, limiter_on, wait_for};
use ratelimit::overrides::{LimitChange, OverrideEffect};
use ratelimit::{Limit, RateLimiter};
use std::time::Duration;
use support::RedisServer;

const HOUR: Duration = Duration::from_secs(3600);
const LIMIT: Limit = Limit::counter(5, HOUR);

/// Makes calls until one is refused. Returns the number of admitted calls.
async fn admitted(limiter: &RateLimiter, limit: &Limit, name: &str) -> u32 {
    let mut admitted = 0;
    while decision(limiter.check(limit, name).await).is_allowed() {
        admitted += 1;
    }
    admitted
}

async fn capacity(limiter: &RateLimiter, name: &str) -> u32 {
    limiter.peek(&LIMIT, name).await.unwrap().capacity()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_renamed_limit_starts_fresh_and_leaves_its_override_behind() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).connect().await.unwrap();
    limiter.overrides().set("login", LimitChange::new().count(2)).await.unwrap();
    assert_eq!(admitted(&limiter, &LIMIT, "login").await, 2);
    assert_eq!(admitted(&limiter, &LIMIT, "sign_in").await, 5, "no units and no override follow the name");
    assert_eq!(server.keys_without_ttl(), 1, "the old state expires, the overrides do not");

    let new_version = limiter_on(&server).connect().await.unwrap();
    new_version.check(&LIMIT, "sign_in").await.unwrap_err();
    let [left] = &new_version.overrides().list().await.unwrap()[..] else { panic!("one override") };
    assert_eq!(left.effect(), OverrideEffect::NotMet);
    // Following the recipe, sets the override under the new name before the new version starts.
    new_version.overrides().set("reset_password", LimitChange::new().count(2)).await.unwrap();
    assert_eq!(admitted(&new_version, &LIMIT, "reset_password").await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_versions_share_the_used_units_and_each_applies_its_own_numbers() {
    let server = RedisServer::start();
    let [old, new] =
        [limiter_on(&server).connect().await.unwrap(), limiter_on(&server).connect().await.unwrap()];
    let (wide, narrow) = (Limit::counter(8, HOUR), LIMIT);
    assert_eq!(admitted(&new, &narrow, "calls").await, 5);
    assert_eq!(admitted(&old, &wide, "calls").await, 3, "together the larger limit, not the sum");
    assert_eq!(admitted(&new, &narrow, "calls").await, 0);
    assert_eq!(admitted(&new, &Limit::sliding_window(5, HOUR), "calls").await, 5, "an algorithm of its own");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_without_data_loses_units_and_overrides() {
    let mut server = RedisServer::start();
    let limiter = limiter_on(&server).connect().await.unwrap();
    limiter.overrides().set("login", LimitChange::new().count(2)).await.unwrap();
    assert_eq!(admitted(&limiter, &LIMIT, "login").await, 2);
    server.restart();
    wait_for("the limit in the code applies again", async || {
        matches!(limiter.peek(&LIMIT, "login").await, Ok(seen) if (seen.capacity(), seen.remaining()) == (5, 5))
    })
    .await;
    assert_eq!(limiter.overrides().list().await.unwrap(), []);
    limiter.overrides().set("login", LimitChange::new().count(2)).await.unwrap();
    assert_eq!(capacity(&limiter, "login").await, 2, "it can be set again");
}

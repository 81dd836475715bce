//! Secret values, such as headers, are hashed. Without a hash secret, anybody who can read the store can test guesses of them,
//! so the log says it once.

use crate::harness::{limiter_at, wait_for};
use ratelimit::identity::{Identity, KeyWriter};
use ratelimit::{Key, Limit, RateLimiter, per};
use support::{RedisServer, take_events};

struct Token;

impl Identity for Token {
    fn write(&self, key: &mut KeyWriter<'_>) {
        key.secret(b"sesame");
    }
}

const LIMIT: Limit = Limit::counter(100, per::HOUR);

async fn call(limiter: &RateLimiter) {
    limiter.check(&LIMIT, Key::new("a").by(Token)).await.unwrap();
}

fn warnings() -> usize {
    take_events().iter().filter(|event| event.to_string().contains("hashed without a secret")).count()
}

/// The test has one thread, so that the events of the limiters' tasks are recorded.
#[tokio::test]
async fn hashes_without_a_secret_are_said_once() {
    let server = RedisServer::start();
    warnings();
    // A long value is not secret, limits in memory store no keys, and here is a secret.
    let long = limiter_at(server.url()).prefix("long").connect().await.unwrap();
    long.check(&LIMIT, Key::new("a").by("x".repeat(100))).await.unwrap();
    call(&RateLimiter::in_memory()).await;
    let safe = limiter_at(server.url()).prefix("safe").hash_secret("walrus").connect().await.unwrap();
    call(&safe).await;
    let exposed = limiter_at(server.url()).connect().await.unwrap();
    call(&exposed).await;
    let mut warned = 0;
    wait_for("the warning", async || {
        warned += warnings();
        warned > 0
    })
    .await;
    assert_eq!(warned + warnings(), 1);
}

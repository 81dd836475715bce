//! The keys that the store writes have the documented form and a short TTL.

use crate::harness::{charging, decision, limiter_on};
use ratelimit::{AsKey, Key, Limit, RateLimiter};
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;
use support::RedisServer;

/// Makes several calls under one key. Never releases the permits.
async fn call<K: AsKey>(limiter: &RateLimiter, limits: &[Limit], held: &Limit, key: impl Fn() -> K) {
    for _ in 0..3 {
        for limit in limits {
            let _ = decision(limiter.check(limit, key()).await);
            let _ = decision(limiter.acquire(limit, key()).await);
        }
        std::mem::forget(limiter.permit(held, key()).await);
    }
}

/// The keys of states. Ignores the key with the limits that this process publishes.
fn keys(server: &RedisServer) -> Vec<String> {
    let mut keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut server.raw()).unwrap();
    keys.retain(|key| !key.ends_with(":{#}:limits"));
    keys.sort();
    keys
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_are_as_documented_and_all_expire() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).prefix("shop").connect().await.unwrap();
    let period = Duration::from_secs(100);
    let (limits, held) = (charging(50, period), Limit::concurrency(50, period));
    call(&limiter, &limits, &held, || Key::new("global")).await;
    call(&limiter, &limits, &held, || Key::new("login").by(IpAddr::from(Ipv4Addr::LOCALHOST))).await;
    call(&limiter, &limits, &held, || Key::new("report:{kind}").by(("acme", 7)).part("p:d}f")).await;
    let forms = ["c2", "cc2", "lb2", "sl1", "sw2", "tb2"];
    let names = ["shop:{127.0.0.1}:login", "shop:{acme,7}:report:<kind>=p%3ad%7df", "shop:{global}"];
    let expected: Vec<String> =
        names.iter().flat_map(|name| forms.iter().map(move |form| format!("{name}:{form}"))).collect();
    assert_eq!(keys(&server), expected);
    assert_eq!(server.keys_without_ttl(), 0);
    assert!(server.max_pttl_ms().unwrap() <= 2 * 100_000 + 1000);
}

//! The keys that the store writes: they have the documented form, and each has a short TTL.

use crate::harness::{TestRequest, decide, decision, limiter_on, undecided};
use ratelimit::store::Mode;
use ratelimit::{AsKey, ErrorKind, Key, Limit, RateLimiter, RedisStore, Refill};
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;
use support::{RedisServer, SECOND};

/// All algorithms without permits, with a capacity of `count`.
fn spent(count: u32, time: Duration) -> [Limit; 6] {
    let bucket = Limit::try_token_bucket(count, time);
    [
        Limit::try_counter(count, time),
        bucket,
        bucket.and_then(|limit| limit.try_refill(Refill::Interval)),
        Limit::try_sliding_window(count, time),
        Limit::try_sliding_log(count, time),
        Limit::try_leaky_bucket(count, time),
    ]
    .map(Result::unwrap)
}

/// Several calls under one key. Permits are never released.
async fn call<K: AsKey>(limiter: &RateLimiter, limits: &[Limit], held: &Limit, key: impl Fn() -> K) {
    for _ in 0..3 {
        for limit in limits {
            let _ = decision(limiter.check(limit, key()).await);
            let _ = decision(limiter.acquire(limit, key()).await);
        }
        std::mem::forget(limiter.permit(held, key()).await);
    }
}

/// The keys of states. The limits that this process publishes are under a key of their own.
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
    let (limits, held) = (spent(50, period), Limit::concurrency(50, period));
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_with_turns_expire_in_time() {
    let server = RedisServer::start();
    let store = RedisStore::new(&server.url()).unwrap();
    let (time, wait) = (SECOND * 10, SECOND * 30);
    let held = Limit::concurrency(2, time);
    for (i, limit) in spent(2, time).into_iter().chain([held]).map(|limit| limit.wait(wait)).enumerate() {
        let requests: Vec<TestRequest> =
            (0..20).map(|id| TestRequest::new(i, limit, 1).with_permit(5 + id)).collect();
        let decisions = decide(&store, Mode::Charge, &requests).await.unwrap();
        assert!(
            decisions.iter().any(|decision| !decision.delay().is_zero() || decision.retry_after().is_some())
        );
        assert_eq!(server.keys_without_ttl(), 0, "{limit}");
        // The queue has seven places, and is empty 35 s after it was full.
        let period = if limit.capacity() == 7 { 35_000 } else { 30_000 };
        assert!(server.max_pttl_ms().unwrap() <= 2 * period + 1000, "{limit}");
        redis::cmd("FLUSHALL").exec(&mut server.raw()).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_data_is_neither_read_nor_overwritten() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).connect().await.unwrap();
    let mut raw = server.raw();
    for (limit, form) in spent(5, SECOND).into_iter().zip(["c2", "tb2", "tb2", "sw2", "sl1", "lb2"]) {
        for foreign in [["SET", "abc"], ["SADD", "abc"]] {
            let key = format!("ratelimit:{{theirs}}:{form}");
            redis::cmd(foreign[0]).arg(&key).arg(foreign[1]).exec(&mut raw).unwrap();
            let before: Vec<u8> = redis::cmd("DUMP").arg(&key).query(&mut raw).unwrap();
            let error = undecided(limiter.check(&limit, "theirs").await);
            assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
            assert!(!error.to_string().contains("theirs"), "no key in an error: {error}");
            let after: Vec<u8> = redis::cmd("DUMP").arg(&key).query(&mut raw).unwrap();
            assert_eq!(before, after);
            redis::cmd("DEL").arg(&key).exec(&mut raw).unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reset_peek_and_costs_work_on_the_server() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).connect().await.unwrap();
    for limit in spent(5, SECOND * 60) {
        let key = || Key::new("mails").by("user").part(limit.algorithm().as_str());
        assert!(!limiter.reset(&limit, key()).await.unwrap(), "there is no state yet");
        limiter.check_cost(&limit, key(), 4).await.unwrap();
        assert!(!decision(limiter.check_cost(&limit, key(), 2).await).is_allowed());
        assert_eq!(decision(limiter.check_cost(&limit, key(), 6).await).retry_after(), None);
        limiter.check_cost(&limit, key(), 0).await.unwrap();
        assert_eq!(limiter.peek(&limit, key()).await.unwrap().remaining(), 1);
        assert!(limiter.reset(&limit, key()).await.unwrap());
        assert_eq!(limiter.peek(&limit, key()).await.unwrap().remaining(), 5);
    }
    for nothing in spent(0, SECOND) {
        for cost in [0, 1] {
            let decision = decision(limiter.check_cost(&nothing, "nothing", cost).await);
            assert_eq!((decision.is_allowed(), decision.retry_after()), (false, None));
        }
    }
}

//! What the store leaves in the server: keys of the documented form, each with a TTL that is short enough.

use crate::setup::{SECOND, limiter_on};
use ratelimit::{ErrorKind, Key, Limit, Refill};
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;
use support::RedisServer;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_are_as_documented_and_all_expire() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).prefix("shop").build().await.unwrap();
    let period = Duration::from_secs(100);
    let bucket = Limit::token_bucket(10, period).burst(10);
    for limit in [Limit::counter(5, period), bucket] {
        for _ in 0..8 {
            limiter.check(&limit, "global").await.unwrap();
            limiter.check(&limit, Key::new("login").by(IpAddr::from(Ipv4Addr::LOCALHOST))).await.unwrap();
            limiter.check(&limit, Key::new("report:{kind}").by(("acme", 7)).part("p:d}f")).await.unwrap();
        }
    }
    let mut keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut server.raw()).unwrap();
    keys.sort();
    assert_eq!(
        keys,
        [
            "shop:{127.0.0.1}:login:c1",
            "shop:{127.0.0.1}:login:tb1",
            "shop:{acme,7}:report:<kind>=p%3ad%7df:c1",
            "shop:{acme,7}:report:<kind>=p%3ad%7df:tb1",
            "shop:{global}:c1",
            "shop:{global}:tb1",
        ]
    );
    assert_eq!(server.keys_without_ttl(), 0);
    assert!(server.max_pttl_ms().unwrap() <= 2 * 100_000 + 1000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_ttl_is_repaired() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).build().await.unwrap();
    for limit in [Limit::counter(2, SECOND * 60), Limit::token_bucket(2, SECOND * 60)] {
        assert!(limiter.check_cost(&limit, "job", 2).await.unwrap().allowed());
        let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut server.raw()).unwrap();
        for key in &keys {
            redis::cmd("PERSIST").arg(key).exec(&mut server.raw()).unwrap();
        }
        assert!(server.keys_without_ttl() > 0);
        let decision = limiter.check(&limit, "job").await.unwrap();
        assert_eq!(
            (decision.allowed(), decision.remaining()),
            (true, 1),
            "a key without TTL would block for ever"
        );
        assert_eq!(server.keys_without_ttl(), 0);
        limiter.reset(&limit, "job").await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_data_is_neither_read_nor_overwritten() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).build().await.unwrap();
    let mut raw = server.raw();
    redis::cmd("RPUSH").arg("ratelimit:{list}:c1").arg("a").exec(&mut raw).unwrap();
    redis::cmd("SET").arg("ratelimit:{text}:c1").arg("abc").exec(&mut raw).unwrap();
    let limit = Limit::counter(5, SECOND);
    for name in ["list", "text"] {
        let error = limiter.check(&limit, name).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
        assert!(!error.to_string().contains(name), "no key in an error: {error}");
    }
    let kept: (Vec<String>, String) = redis::pipe()
        .cmd("LRANGE")
        .arg("ratelimit:{list}:c1")
        .arg(0)
        .arg(-1)
        .cmd("GET")
        .arg("ratelimit:{text}:c1")
        .query(&mut raw)
        .unwrap();
    assert_eq!(kept, (vec!["a".to_owned()], "abc".to_owned()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reset_peek_and_costs_work_on_the_server() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).build().await.unwrap();
    for limit in [
        Limit::counter(5, SECOND * 60),
        Limit::token_bucket(5, SECOND * 60),
        Limit::token_bucket(5, SECOND * 60).refill(Refill::Interval),
    ] {
        let key = || Key::new("mails").by("user").part(limit.algorithm().as_str());
        limiter.reset(&limit, key()).await.unwrap();
        assert!(limiter.check_cost(&limit, key(), 4).await.unwrap().allowed());
        assert!(!limiter.check_cost(&limit, key(), 2).await.unwrap().allowed());
        assert_eq!(limiter.check_cost(&limit, key(), 6).await.unwrap().retry_after(), None);
        assert!(limiter.check_cost(&limit, key(), 0).await.unwrap().allowed());
        assert_eq!(limiter.peek(&limit, key()).await.unwrap().remaining(), 1);
        limiter.reset(&limit, key()).await.unwrap();
        assert_eq!(limiter.peek(&limit, key()).await.unwrap().remaining(), 5);
    }
    let nothing = Limit::counter(0, SECOND);
    for cost in [0, 1] {
        let decision = limiter.check_cost(&nothing, "nothing", cost).await.unwrap();
        assert_eq!((decision.allowed(), decision.retry_after()), (false, None));
    }
}

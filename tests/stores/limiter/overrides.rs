//! Overrides: they apply in all processes, the server stores them, and units in use stay in use.

use crate::harness::{decision, limiter_on, wait_for};
use ratelimit::overrides::OverrideTarget;
use ratelimit::{Key, Limit, RateLimiter};
use std::time::Duration;
use support::{RedisServer, SECOND, take_events};

const LOGIN: Limit = Limit::counter(5, Duration::from_secs(600));

fn key(who: &str) -> Key<'_, ((), &str)> {
    Key::new("login:{form}").by(who)
}

/// The capacity of the limit in the view of the limiter.
async fn seen(limiter: &RateLimiter, who: &str) -> u32 {
    limiter.peek(&LOGIN, key(who)).await.unwrap().capacity()
}

/// Waits until the limiter has this capacity, which takes up to a second.
async fn until_seen(limiter: &RateLimiter, who: &str, expected: u32) {
    wait_for("the change is seen", async || {
        limiter.peek(&LOGIN, key(who)).await.is_ok_and(|decision| decision.capacity() == expected)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_override_applies_in_all_processes() {
    let server = RedisServer::start();
    let (here, there) =
        (limiter_on(&server).connect().await.unwrap(), limiter_on(&server).connect().await.unwrap());
    assert_eq!(seen(&there, "a").await, 5);
    here.overrides().set("login:{form}", &Limit::counter(3, SECOND)).await.unwrap();
    assert_eq!(seen(&here, "a").await, 3, "at once where it was set");
    until_seen(&there, "a", 3).await;
    here.overrides().set(key("a"), &Limit::counter(50, SECOND)).await.unwrap();
    until_seen(&there, "a", 50).await;
    assert_eq!(seen(&there, "b").await, 3, "one key alone was set");
    there.overrides().remove(key("a")).await.unwrap();
    until_seen(&here, "a", 3).await;
    there.overrides().remove("login:{form}").await.unwrap();
    until_seen(&here, "a", 5).await;
    assert_eq!(here.overrides().list().await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_override_applies_to_the_first_call_of_a_new_process() {
    let server = RedisServer::start();
    let here = limiter_on(&server).connect().await.unwrap();
    here.overrides().set("login:{form}", &Limit::try_counter(0, SECOND).unwrap()).await.unwrap();
    for limiter in [limiter_on(&server).connect().await.unwrap(), limiter_on(&server).build().unwrap()] {
        assert!(!decision(limiter.check(&LOGIN, key("a")).await).is_allowed());
    }
    let other = limiter_on(&server).prefix("other").connect().await.unwrap();
    other.check(&LOGIN, key("a")).await.expect("another prefix has its own");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overrides_survive_a_restart_of_the_server() {
    let mut server = RedisServer::builder().persistent().start();
    let limiter = limiter_on(&server).connect().await.unwrap();
    limiter.overrides().set("login:{form}", &Limit::counter(2, SECOND)).await.unwrap();
    server.restart();
    let fresh = limiter_on(&server).connect().await.unwrap();
    assert_eq!(seen(&fresh, "a").await, 2);
    until_seen(&limiter, "a", 2).await;
}

/// The single-threaded runtime runs the watch in this thread, whose events are recorded.
#[tokio::test]
async fn lost_overrides_are_reported_once() {
    let _ = take_events(); // drops earlier events
    let mut server = RedisServer::start();
    let limiter = limiter_on(&server).connect().await.unwrap();
    limiter.overrides().set("login:{form}", &Limit::counter(2, SECOND)).await.unwrap();
    limiter.overrides().set(key("b"), &Limit::counter(3, SECOND)).await.unwrap();
    limiter.overrides().remove(key("b")).await.unwrap();
    until_seen(&limiter, "b", 2).await;
    let lost = || {
        let events: Vec<String> = take_events().iter().map(ToString::to_string).collect();
        events.iter().filter(|event| event.contains("has lost its overrides")).count()
    };
    assert_eq!(lost(), 0, "a removed override is not lost");
    server.restart();
    until_seen(&limiter, "a", 5).await;
    assert_eq!(lost(), 1);
    limiter.overrides().set("login:{form}", &Limit::counter(2, SECOND)).await.unwrap();
    limiter.overrides().remove("login:{form}").await.unwrap();
    assert_eq!((lost(), limiter.overrides().list().await.unwrap().len()), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn overrides_are_listed_by_name_and_by_key() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).connect().await.unwrap();
    let limit = Limit::token_bucket(7, SECOND).burst(3).borrow(2);
    limiter.overrides().set("login:{form}", &limit).await.unwrap();
    limiter.overrides().set(key("a").part("web"), &LOGIN).await.unwrap();
    assert_eq!(limiter.overrides().get("login:{form}").await.unwrap(), Some(limit.into()));
    assert_eq!(limiter.overrides().get(key("b")).await.unwrap(), None);
    let list = limiter.overrides().list().await.unwrap();
    let [name, one] = list.as_slice() else { panic!("{list:?}") };
    assert!(matches!(name.target(), OverrideTarget::Name(name) if name == "login:{form}"));
    assert!(matches!(one.target(), OverrideTarget::Key(key) if key == "ratelimit:{a}:login:<form>=web"));
    assert_eq!((*name.change(), *one.change()), (limit.into(), LOGIN.into()));
    assert!(!format!("{list:?}").contains("{a}"), "keys are not printed");
    for found in &list {
        limiter.overrides().remove_target(found.target()).await.unwrap();
    }
    assert!(limiter.overrides().list().await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_foreign_value_in_the_overrides_is_reported_and_changes_no_limit() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).connect().await.unwrap();
    let mut raw = server.raw();
    let place = "ratelimit:{#}:overrides";
    redis::cmd("SET").arg(place).arg("something").exec(&mut raw).unwrap();
    let error = limiter.overrides().list().await.unwrap_err();
    assert_eq!(error.kind(), ratelimit::ErrorKind::Configuration, "{error}");
    assert_eq!(seen(&limiter, "a").await, 5);
    let fresh = limiter_on(&server).connect().await.unwrap();
    fresh.check(&LOGIN, key("a")).await.unwrap();
}

//! Several limits on one function are decided together: all of them are charged, or none is.

use crate::harness::{Runs, at_once, keys_of, scoped, scoped_with, soon};
use async_trait::async_trait;
use ratelimit::clock::ManualClock;
use ratelimit::{RateLimiter, Rejection, rate_limit};
use std::net::{IpAddr, Ipv4Addr};
use support::SECOND;
use tokio::sync::Notify;

#[rate_limit(key = "per second", time = "1s", count = 2)]
#[ratelimit::rate_limit(key = "per minute", time = "1m", count = 3)]
async fn search(runs: &Runs) -> Result<u32, Rejection> {
    Ok(runs.add())
}

#[rate_limit(key = "rows", count = 10, cost = rows)]
#[rate_limit(key = "calls:{user}", count = 3, by = peer, algorithm = "sliding_log")]
async fn costs(peer: IpAddr, user: &str, rows: u32) -> Result<usize, Rejection> {
    Ok(user.len())
}

#[rate_limit(key = "counted", count = 1)]
#[cfg_attr(all(), rate_limit(key = "always", count = 1))]
#[cfg_attr(any(), rate_limit(key = "never", count = 1))]
async fn conditional() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "running", count = 2, algorithm = "concurrency")]
#[rate_limit(key = "started", count = 3)]
async fn permits(go: &Notify) -> Result<(), Rejection> {
    go.notified().await;
    Ok(())
}

#[rate_limit(key = "all", count = 3)]
#[rate_limit(key = "good", count = 1, refund_if = Result::is_err)]
#[rate_limit(key = "bad", count = 2, refund_if = Result::is_ok)]
async fn judged(good: bool) -> Result<(), Failed> {
    if good { Ok(()) } else { Err(Failed(None)) }
}

#[derive(Debug)]
struct Failed(Option<Rejection>);

impl From<Rejection> for Failed {
    fn from(rejection: Rejection) -> Self {
        Self(Some(rejection))
    }
}

struct Service {
    limits: Vec<RateLimiter>,
    asked: Runs,
}

impl Service {
    fn limits(&self) -> RateLimiter {
        self.asked.add();
        self.limits[0].clone()
    }

    #[rate_limit(count = 1, limiter = self.limits())]
    #[rate_limit(time = "1h", count = 5)]
    async fn call(&self) -> Result<(), Rejection> {
        Ok(())
    }
}

#[async_trait]
trait Mail {
    async fn send(&self, to: String) -> Result<(), Rejection>;
}

#[async_trait]
impl Mail for Service {
    #[rate_limit(key = "mail", count = 5, on_limit = Err)]
    #[tracing::instrument(skip_all)]
    #[rate_limit(key = "mail:{to}", count = 1, by = &to)]
    async fn send(&self, to: String) -> Result<(), Rejection> {
        drop(to);
        Ok(())
    }
}

#[tokio::test]
async fn all_limits_admit_or_none_is_charged() {
    let (runs, clock) = (&Runs::default(), ManualClock::new());
    scoped_with(&clock, async {
        let refused_by = async || search(runs).await.unwrap_err().name().to_owned();
        search(runs).await.unwrap();
        search(runs).await.unwrap();
        assert_eq!(refused_by().await, "per second");
        clock.advance(SECOND);
        search(runs).await.unwrap();
        assert_eq!(refused_by().await, "per minute");
        clock.advance(SECOND * 59);
        search(runs).await.unwrap();
        search(runs).await.unwrap();
        assert_eq!(runs.count(), 5, "what was refused has not been charged to the other");
    })
    .await;
}

#[tokio::test]
async fn each_limit_has_its_own_cost_and_identity() {
    let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
    scoped(async {
        costs(peer, "ann", 8).await.unwrap();
        assert_eq!(costs(peer, "ann", 3).await.unwrap_err().name(), "rows");
        costs(peer, "ann", 1).await.unwrap();
        costs(peer, "ann", 1).await.unwrap();
        assert_eq!(costs(peer, "ann", 0).await.unwrap_err().name(), "calls:{user}");
        costs(peer, "bob", 0).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn limits_of_a_stack_may_be_conditional() {
    let keys = keys_of(async { conditional().await.unwrap() }).await;
    assert_eq!(keys.len(), 2, "{keys:?}");
    assert!(keys[1].contains("always"), "{keys:?}");
}

#[tokio::test]
async fn a_stack_may_contain_a_permit() {
    let go = Notify::new();
    scoped(async {
        let (mut a, mut b) = (Box::pin(permits(&go)), Box::pin(permits(&go)));
        assert!(soon(&mut a).await.is_none() && soon(&mut b).await.is_none());
        assert_eq!(at_once(permits(&go)).await.unwrap_err().name(), "running");
        drop((a, b));
        assert!(soon(&mut Box::pin(permits(&go))).await.is_none());
        assert_eq!(at_once(permits(&go)).await.unwrap_err().name(), "started");
    })
    .await;
}

#[tokio::test]
async fn a_result_may_change_each_charge_of_a_stack() {
    let refused_by =
        async |good| judged(good).await.unwrap_err().0.map(|rejection| rejection.name().to_owned());
    scoped(async {
        assert_eq!(refused_by(false).await, None);
        judged(true).await.unwrap();
        assert_eq!(refused_by(false).await.as_deref(), Some("good"), "it was charged once");
    })
    .await;
    scoped(async {
        assert_eq!(refused_by(false).await, None);
        assert_eq!(refused_by(false).await, None);
        assert_eq!(refused_by(true).await.as_deref(), Some("bad"));
    })
    .await;
}

#[tokio::test]
async fn one_limiter_decides_about_the_whole_stack() {
    let service = Service { limits: vec![RateLimiter::in_memory()], asked: Runs::default() };
    scoped(async {
        service.call().await.unwrap();
        service.call().await.unwrap_err();
    })
    .await;
    assert_eq!(service.asked.count(), 2, "once for each call");
}

#[tokio::test]
async fn other_attributes_may_be_in_between() {
    let service = Service { limits: Vec::new(), asked: Runs::default() };
    scoped(async {
        service.send("ann".to_owned()).await.unwrap();
        assert_eq!(service.send("ann".to_owned()).await.unwrap_err().name(), "mail:{to}");
        service.send("bob".to_owned()).await.unwrap();
    })
    .await;
}

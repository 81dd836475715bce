//! Methods that `#[async_trait]` has already turned into functions that return boxed futures.

use crate::harness::{PEER, Runs, keys_of, passes_once, scoped};
use async_trait::async_trait;
use axum::extract::ConnectInfo;
use ratelimit::{RateLimiter, Rejection, rate_limit};
use std::net::SocketAddr;
use std::sync::Arc;

#[async_trait]
trait Mail: Send + Sync {
    fn runs(&self) -> &Runs;

    async fn by_reference(&self, to: &str) -> Result<u32, Rejection>;
    async fn by_value(self) -> Result<u32, Rejection>
    where
        Self: Sized;
    async fn by_arc(self: Arc<Self>) -> Result<u32, Rejection>;
    async fn unit(&self);
    async fn patterns(&self, pair: (u8, u8), peer: ConnectInfo<SocketAddr>, n: u32)
    -> Result<u32, Rejection>;
    async fn lends<'a>(&'a self, text: &'a str) -> Result<&'a str, Rejection>;
    async fn generic<T: Send + ToString>(&self, value: T) -> Result<String, Rejection>
    where
        Self: Sized;

    #[rate_limit(count = 1, by = self.runs().who())]
    async fn default(&self) -> Result<u32, Rejection> {
        Ok(self.runs().add())
    }
}

#[derive(Clone)]
struct Smtp {
    runs: Arc<Runs>,
    tenant: u32,
    limits: RateLimiter,
}

fn tenant_of(smtp: &Smtp) -> u32 {
    smtp.tenant
}

fn own() -> Smtp {
    Smtp { runs: Arc::default(), tenant: 3, limits: RateLimiter::in_memory() }
}

#[async_trait]
impl Mail for Smtp {
    fn runs(&self) -> &Runs {
        &self.runs
    }

    #[rate_limit(count = 1, key = "mail:{self.tenant}:{to}")]
    async fn by_reference(&self, to: &str) -> Result<u32, Rejection> {
        #![allow(clippy::let_and_return)]
        let run = self.runs.add() + u32::from(to.is_empty());
        Ok(run)
    }

    #[rate_limit(count = 1, by = self.tenant)]
    async fn by_value(self) -> Result<u32, Rejection> {
        Ok(self.runs.add())
    }

    #[rate_limit(count = 1, limiter = self.limits)]
    async fn by_arc(self: Arc<Self>) -> Result<u32, Rejection> {
        Ok(self.runs.add())
    }

    #[rate_limit(count = 1, on_limit = |_| assert_eq!(self.runs.count(), 1))]
    async fn unit(&self) {
        self.runs.add();
    }

    #[rate_limit(count = 1, key = "{a}:{n}", by = "ip")]
    async fn patterns(
        &self,
        (a, _): (u8, u8),
        ConnectInfo(peer): ConnectInfo<SocketAddr>,
        mut n: u32,
    ) -> Result<u32, Rejection> {
        n += self.runs.add() + u32::from(a) + u32::from(peer.port());
        Ok(n)
    }

    #[rate_limit(count = 1)]
    async fn lends<'a>(&'a self, text: &'a str) -> Result<&'a str, Rejection> {
        self.runs.add();
        Ok(text.trim())
    }

    #[rate_limit(count = 1, by = self::tenant_of(self))]
    async fn generic<T: Send + ToString>(&self, value: T) -> Result<String, Rejection> {
        self.runs.add();
        Ok(value.to_string())
    }
}

#[tokio::test]
async fn every_receiver() {
    let smtp = own();
    let runs = &smtp.runs.clone();
    passes_once(runs, async || smtp.by_reference("ann").await).await;
    passes_once(runs, async || smtp.clone().by_value().await).await;
    let shared = Arc::new(smtp);
    passes_once(runs, async || shared.clone().by_arc().await).await;
}

#[tokio::test]
async fn every_other_shape() {
    let smtp = &own();
    passes_once(&smtp.runs, async || smtp.default().await).await;
    passes_once(&smtp.runs, async || smtp.lends(" x ").await).await;
    passes_once(&smtp.runs, async || smtp.generic(5).await).await;
}

#[tokio::test]
async fn a_refused_call_may_return_nothing() {
    let smtp: &dyn Mail = &own();
    scoped(async {
        smtp.unit().await;
        smtp.unit().await;
    })
    .await;
    assert_eq!(smtp.runs().count(), 1);
}

#[tokio::test]
async fn keys_use_self_and_the_names_in_patterns() {
    let smtp = own();
    let keys = keys_of(async {
        smtp.by_reference("ann").await.unwrap();
        assert_eq!(smtp.patterns((5, 6), ConnectInfo(PEER), 7).await.unwrap(), 7 + 2 + 5 + 1);
    })
    .await;
    assert_eq!(keys, ["{mail:<self.tenant>:<to>=3=ann}", "{127.0.0.1}:<a>:<n>=5=7"]);
}

#[tokio::test]
async fn futures_stay_send() {
    fn send<T: Send>(value: T) -> T {
        value
    }
    let smtp = own();
    scoped(send(smtp.by_reference("ann"))).await.unwrap();
}

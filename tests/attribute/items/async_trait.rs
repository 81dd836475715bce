//! Tests methods that `#[async_trait]` has already rewritten to return boxed futures, and blocks with the attribute above or
//! below `#[async_trait]`.

use crate::harness::{PEER, Runs, keys_of, passes_once, scoped};
use async_trait::async_trait;
use axum::extract::ConnectInfo;
use ratelimit::{RateLimiter, Rejection, rate_limit};
use std::net::SocketAddr;
use std::sync::Arc;

#[async_trait]
trait Mail: Send + Sync {
    fn runs(&self) -> &Runs;

    async fn by_arc(self: Arc<Self>) -> Result<u32, Rejection>;
    async fn unit(&self);
    async fn patterns(&self, pair: (u8, u8), peer: ConnectInfo<SocketAddr>, n: u32)
    -> Result<u32, Rejection>;
    async fn lends<'a>(&'a self, text: &'a str) -> Result<&'a str, Rejection>;
}

struct Smtp {
    runs: Runs,
    tenant: u32,
    limits: RateLimiter,
}

fn tenant_of(smtp: &Smtp) -> u32 {
    smtp.tenant
}

#[async_trait]
impl Mail for Smtp {
    fn runs(&self) -> &Runs {
        &self.runs
    }

    #[rate_limit(count = 1, limiter = self.limits)]
    async fn by_arc(self: Arc<Self>) -> Result<u32, Rejection> {
        Ok(self.runs.add())
    }

    #[rate_limit(count = 1, on_limit = |_| assert_eq!(self.runs.count(), 1))]
    async fn unit(&self) {
        self.runs.add();
    }

    #[rate_limit(count = 1, key = "{a}:{n}:{self.tenant}", by = "ip")]
    async fn patterns(
        &self,
        (a, _): (u8, u8),
        ConnectInfo(peer): ConnectInfo<SocketAddr>,
        mut n: u32,
    ) -> Result<u32, Rejection> {
        #![allow(clippy::let_and_return)]
        n += self.runs.add() + u32::from(a) + u32::from(peer.port());
        let sum = n;
        Ok(sum)
    }

    #[rate_limit(count = 1, by = self::tenant_of(self))]
    async fn lends<'a>(&'a self, text: &'a str) -> Result<&'a str, Rejection> {
        self.runs.add();
        Ok(text.trim())
    }
}

#[tokio::test]
async fn what_the_matrix_does_not_have() {
    let smtp = Arc::new(Smtp { runs: Runs::default(), tenant: 3, limits: RateLimiter::in_memory() });
    passes_once(&smtp.runs, async || Arc::clone(&smtp).by_arc().await).await;
    passes_once(&smtp.runs, async || smtp.lends(" x ").await).await;
    let keys = keys_of(async {
        assert_eq!(smtp.patterns((5, 6), ConnectInfo(PEER), 7).await.unwrap(), 7 + 3 + 5 + 1);
    })
    .await;
    assert_eq!(keys, ["{127.0.0.1}:<a>:<n>:<self.tenant>=5=7=3"]);
}

#[tokio::test]
async fn a_refused_call_may_return_nothing() {
    let smtp = &Smtp { runs: Runs::default(), tenant: 3, limits: RateLimiter::in_memory() };
    let mail: &dyn Mail = smtp;
    scoped(async {
        mail.unit().await;
        mail.unit().await;
    })
    .await;
    assert_eq!(mail.runs().count(), 1);
}

#[async_trait]
trait Post: Send + Sync {
    async fn send(&self, to: &str) -> Result<u32, Rejection>;
    async fn exempt(&self) -> u32;
    async fn of_its_own(&self) -> u32;
    fn plain(&self) -> u32;
}

/// Declares a type and its limited `impl` block. The limit stands between the attributes `above` and `below`.
macro_rules! post {
    ($name:ident [$($above:tt)*] [$($below:tt)*]) => {
        struct $name(Runs);

        $($above)*
        #[rate_limit(count = 1, by = self.0.who())]
        $($below)*
        impl Post for $name {
            async fn send(&self, to: &str) -> Result<u32, Rejection> {
                Ok(self.0.add() + u32::from(to.is_empty()))
            }

            #[rate_limit(skip)]
            async fn exempt(&self) -> u32 {
                self.0.add()
            }

            #[rate_limit(count = 1, on_limit = |_| self.plain() + 100)]
            async fn of_its_own(&self) -> u32 {
                self.0.add()
            }

            fn plain(&self) -> u32 {
                self.0.count()
            }
        }
    };
}

post!(Above [#[async_trait]] []);
post!(Below [] [#[async_trait]]);

#[tokio::test]
async fn blocks_above_and_below_async_trait() {
    let (above, below) = (Above(Runs::default()), Below(Runs::default()));
    for (post, runs) in [(&above as &dyn Post, &above.0), (&below, &below.0)] {
        passes_once(runs, async || post.send("ann").await).await;
        scoped(async {
            assert_eq!((post.exempt().await, post.exempt().await), (2, 3));
            assert_eq!((post.of_its_own().await, post.of_its_own().await), (4, 104));
        })
        .await;
    }
    let keys = keys_of(async {
        above.send("ann").await.unwrap();
        below.send("ann").await.unwrap();
    })
    .await;
    let key = |of: &str| {
        format!("{{ann}}:attribute::items::async_trait::send=attribute%3a%3aitems%3a%3aasync_trait%3a%3a{of}")
    };
    assert_eq!(keys, [key("Above"), key("Below")]);
}

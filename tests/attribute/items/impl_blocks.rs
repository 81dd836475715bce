//! Tests the attribute on `impl` blocks, where it limits each async method.

use crate::harness::{PEER, Runs, keys_of, passes_once, scoped};
use ratelimit::{Rejection, rate_limit};
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

#[derive(Clone, Default)]
struct Service {
    runs: Arc<Runs>,
}

/// A block with every kind of item.
#[rate_limit(count = 1)]
impl Service {
    #![allow(clippy::unused_async)]

    pub(crate) const PER_MINUTE: u32 = { 1 };

    /// A documented method.
    pub(crate) async fn by_reference(&self) -> Result<u32, Rejection> {
        Ok(self.runs.add())
    }

    async fn without_self(runs: &Runs) -> Result<u32, Rejection> {
        Ok(runs.add())
    }

    fn future(&self) -> impl Future<Output = Result<u32, Rejection>> + Send {
        async move { Ok(self.runs.add()) }
    }

    fn boxed(&self) -> Pin<Box<dyn Future<Output = Result<u32, Rejection>> + Send + '_>> {
        Box::pin(self.future())
    }

    fn plain(&self) -> u32 {
        self.runs.count()
    }

    const fn constant() -> u32 {
        Self::PER_MINUTE
    }

    #[rate_limit(skip)]
    #[inline]
    async fn exempt(&self) -> u32 {
        self.runs.add()
    }

    #[ratelimit::rate_limit(count = 2, on_limit = |_| 0)]
    #[rate_limit(key = "other", count = 3)]
    async fn of_its_own(&self) -> u32 {
        self.runs.add()
    }
}

struct Other;

#[rate_limit(count = 1)]
impl Other {
    async fn without_self(runs: &Runs) -> Result<u32, Rejection> {
        Ok(runs.add())
    }
}

struct Shared<'r, T>(&'r Runs, T);

trait Plan {
    const RATE: u32;
}

impl Plan for u8 {
    const RATE: u32 = 2;
}

#[rate_limit(key = "shared:{id}", count = Tenant::RATE, by = "ip", time = "1m")]
#[rate_limit(key = "all:{id}", count = 10)]
impl<'r, Tenant: Plan> Shared<'r, Tenant>
where
    Tenant: Copy,
{
    async fn first(&self, id: u32, peer: SocketAddr) -> Result<Tenant, Rejection> {
        assert!(id > 0 && peer.ip().is_loopback());
        self.0.add();
        Ok(self.1)
    }

    async fn second(&self, (peer, id): (SocketAddr, u32), from: SocketAddr) -> Result<&'r Runs, Rejection> {
        assert!(id > 0 && peer == from);
        self.0.add();
        Ok(self.0)
    }
}

trait Native {
    type Out;

    async fn send(&self, to: &str) -> Result<Self::Out, Rejection>;
    fn receive(&self) -> impl Future<Output = Result<u32, Rejection>> + Send;
    fn plain(&self) -> u32;
}

#[rate_limit(count = 1)]
impl Native for Service {
    type Out = u32;

    async fn send(&self, to: &str) -> Result<u32, Rejection> {
        Ok(self.runs.add() + u32::from(to.is_empty()))
    }

    async fn receive(&self) -> Result<u32, Rejection> {
        Ok(self.runs.add())
    }

    fn plain(&self) -> u32 {
        self.runs.count()
    }
}

#[tokio::test]
async fn each_async_method_has_the_limit() {
    let service = Service::default();
    let runs = &Arc::clone(&service.runs);
    passes_once(runs, async || service.by_reference().await).await;
    passes_once(runs, async || Service::without_self(runs).await).await;
    passes_once(runs, async || service.future().await).await;
    passes_once(runs, async || Native::send(&service, "ann").await).await;
    passes_once(runs, async || service.receive().await).await;
    assert_eq!((service.plain(), Native::plain(&service), Service::constant()), (5, 5, 1));
}

#[tokio::test]
async fn each_method_of_each_type_is_a_limit() {
    let (service, runs) = (&Service::default(), &Runs::default());
    scoped(async {
        service.by_reference().await.unwrap();
        service.future().await.unwrap();
        Service::without_self(runs).await.unwrap();
        Other::without_self(runs).await.unwrap();
        Other::without_self(runs).await.unwrap_err();
        // The refused call: `boxed` calls the limited method `future`, whose limit is used up.
        service.boxed().await.unwrap_err();
    })
    .await;
    let keys = keys_of(Service::without_self(runs)).await;
    assert_eq!(
        keys,
        ["{attribute::items::impl_blocks::without_self=attribute%3a%3aitems%3a%3aimpl_blocks%3a%3aService}"]
    );
}

#[tokio::test]
async fn a_method_may_be_exempt_or_have_limits_of_its_own() {
    let service = &Service::default();
    scoped(async {
        for n in 1..=5 {
            assert_eq!(service.exempt().await, n);
        }
        assert_eq!(service.of_its_own().await, 6);
        assert_eq!(service.of_its_own().await, 7);
        assert_eq!(service.of_its_own().await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_key_is_shared_by_all_methods() {
    let runs = &Runs::default();
    let shared = Shared(runs, 1_u8);
    scoped(async {
        shared.first(1, PEER).await.unwrap();
        shared.second((PEER, 1), PEER).await.unwrap();
        assert_eq!(shared.first(1, PEER).await.unwrap_err().name(), "shared:{id}");
        assert!(shared.second((PEER, 1), PEER).await.is_err());
        shared.first(2, PEER).await.unwrap();
    })
    .await;
    assert_eq!(runs.count(), 3);
}

//! Methods that return a future without being async.

use crate::harness::{Runs, passes_once};
use crate::items::returned_futures::{BoxFuture, later};
use ratelimit::{Rejection, rate_limit};
use std::future::Future;
use std::sync::Arc;

#[derive(Clone, Default)]
struct Service {
    runs: Arc<Runs>,
    calls: u32,
}

impl Service {
    #[rate_limit(count = 1, by = self.runs.who())]
    fn by_mutable_reference(&mut self) -> impl Future<Output = Result<u32, Rejection>> {
        self.counted()
    }

    async fn counted(&mut self) -> Result<u32, Rejection> {
        self.calls += 1;
        Ok(later(&self.runs).await)
    }

    #[rate_limit(count = 1)]
    fn by_value(self) -> impl Future<Output = Result<u32, Rejection>> + 'static {
        async move { Ok(self.runs.add()) }
    }
}

/// The boxed future of the crate `tower`.
trait Serves<Request> {
    type Response;
    type Error;
    type Future: Future<Output = Result<Self::Response, Self::Error>>;

    fn call(&mut self, request: Request) -> Self::Future;
}

impl Serves<u32> for Service {
    type Response = u32;
    type Error = Rejection;
    type Future = BoxFuture<'static, Result<u32, Rejection>>;

    #[rate_limit(count = 1, by = request)]
    fn call(&mut self, request: u32) -> Self::Future {
        let runs = Arc::clone(&self.runs);
        Box::pin(async move { Ok(runs.add() + request) })
    }
}

trait Mail {
    fn send(&self, to: &str) -> impl Future<Output = Result<u32, Rejection>> + Send;

    #[rate_limit(count = 1)]
    fn by_default(&self, runs: &Runs) -> impl Future<Output = Result<u32, Rejection>> {
        async move { Ok(runs.add()) }
    }
}

impl Mail for Service {
    #[rate_limit(count = 1, key = "mail:{to}")]
    fn send(&self, to: &str) -> impl Future<Output = Result<u32, Rejection>> + Send {
        let more = u32::from(to.is_empty());
        async move { Ok(self.runs.add() + more) }
    }
}

#[tokio::test]
async fn methods() {
    let mut service = Service::default();
    let runs = &Arc::clone(&service.runs);
    passes_once(runs, async || service.by_mutable_reference().await).await;
    passes_once(runs, async || service.clone().by_value().await).await;
    passes_once(runs, async || service.call(1).await).await;
    passes_once(runs, async || service.send("ann").await).await;
    passes_once(runs, async || service.by_default(runs).await).await;
    assert_eq!(service.calls, 1);
}

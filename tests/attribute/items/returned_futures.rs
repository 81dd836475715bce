//! Functions and methods that are not async and return a future. The tests check what the future borrows and when it
//! decides, and cover futures that the matrix does not contain.

use crate::harness::{Runs, at_once, keys_of, passes_once, scoped, soon};
use ratelimit::{Rejection, rate_limit};
use std::fmt::Display;
use std::future::{Future, ready};
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
type LocalBoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// A copy of the method `boxed` of the crate `futures`.
trait FutureExt: Future + Sized {
    fn boxed<'a>(self) -> BoxFuture<'a, Self::Output>
    where
        Self: Send + 'a,
    {
        Box::pin(self)
    }
}

impl<F: Future> FutureExt for F {}

#[rate_limit(count = 1)]
fn opaque(runs: &Runs) -> impl Future<Output = Result<u32, Rejection>> + Send {
    async move { Ok(runs.add()) }
}

#[rate_limit(count = 1)]
fn opaque_by_hand(runs: &Runs) -> impl Future<Output = Result<u32, Rejection>> + Send + use<'_> {
    ready(Ok(runs.add()))
}

#[rate_limit(count = 1, key = "{name}", by = name.len())]
fn borrows_no_longer(
    name: &str,
    runs: &Arc<Runs>,
) -> impl Future<Output = Result<String, Rejection>> + use<> {
    #![allow(clippy::useless_let_if_seq)]
    let (name, runs) = (name.to_owned(), Arc::clone(runs));
    async move {
        runs.add();
        Ok(name)
    }
}

#[rate_limit(count = 1)]
fn boxed_by_method(runs: &Runs) -> BoxFuture<'_, Result<u32, Rejection>> {
    let first = 1;
    async move {
        let rest = later(runs).await;
        Ok(first + rest)
    }
    .boxed()
}

async fn later(runs: &Runs) -> u32 {
    tokio::task::yield_now().await;
    runs.add()
}

#[rate_limit(count = 1)]
fn not_send(runs: Rc<Runs>) -> LocalBoxFuture<'static, Result<u32, Rejection>> {
    Box::pin(async {
        let runs = runs;
        Ok(runs.add())
    })
}

#[rate_limit(count = 1, on_limit = |_| fallback)]
fn unit_and_fallback(runs: &Runs, fallback: u32) -> impl Future<Output = u32> {
    async move { runs.add() + 1 }
}

#[rate_limit(count = 1)]
fn opaque_output(runs: &Runs) -> impl Future<Output = impl Display> {
    async move { runs.add() }
}

#[rate_limit(count = 1)]
fn opaque_output_by_hand(runs: &Runs) -> Pin<Box<dyn Future<Output = impl Display> + '_>> {
    Box::pin(later(runs))
}

#[rate_limit(key = "judged", count = 1, refund_if = |result| result.as_ref().is_ok_and(|n| *n == 0))]
fn judged(n: u32, runs: &Runs) -> impl Future<Output = Result<u32, Rejection>> {
    async move {
        runs.add();
        Ok(n)
    }
}

#[rate_limit(count = 1, algorithm = "concurrency")]
fn permit(runs: &Runs) -> impl Future<Output = Result<u32, Rejection>> {
    async move { Ok(later(runs).await) }
}

#[rate_limit(count = 1, by = "ip")]
fn by_address(
    (peer, n): (SocketAddr, u32),
    from: SocketAddr,
) -> impl Future<Output = Result<u32, Rejection>> {
    async move {
        assert_eq!(peer, from);
        Ok(n)
    }
}

#[tokio::test]
async fn a_permit_is_returned_with_its_future() {
    let runs = &Runs::default();
    scoped(async {
        let (first, second) = tokio::join!(permit(runs), permit(runs));
        assert!(first.is_ok() && second.is_err());
        permit(runs).await.unwrap();
        let mut dropped = Box::pin(permit(runs));
        assert!(soon(&mut dropped).await.is_none());
        permit(runs).await.unwrap_err();
        drop(dropped);
        permit(runs).await.unwrap();
    })
    .await;
    assert_eq!(runs.count(), 3);
}

#[tokio::test]
async fn boxed_and_opaque_futures() {
    let runs = &Runs::default();
    passes_once(runs, async || boxed_by_method(runs).await).await;
    passes_once(runs, async || opaque_output(runs).await.map(|shown| shown.to_string())).await;
    passes_once(runs, async || opaque_output_by_hand(runs).await.map(|shown| shown.to_string())).await;
    let shared = Rc::new(Runs::default());
    passes_once(&shared, async || not_send(Rc::clone(&shared)).await).await;
}

#[tokio::test]
async fn the_future_borrows_no_more_than_before() {
    let runs = &Arc::new(Runs::default());
    passes_once(runs, async || {
        let future = borrows_no_longer(&String::from("ann"), runs);
        tokio::spawn(future).await.unwrap()
    })
    .await;
    let _: Box<dyn Future<Output = _> + Send> = Box::new(opaque(runs));
}

#[tokio::test]
async fn the_key_is_built_at_the_call_and_decided_at_the_first_poll() {
    let runs = &Runs::default();
    scoped(async {
        drop(opaque(runs));
        drop(opaque_by_hand(runs));
        let (first, second) = (opaque_by_hand(runs), opaque_by_hand(runs));
        assert_eq!(runs.count(), 0);
        second.await.unwrap();
        first.await.unwrap_err();
        assert_eq!(unit_and_fallback(runs, 7).await, 3);
        assert_eq!(unit_and_fallback(runs, 7).await, 7);
        let peer = SocketAddr::from(([127, 0, 0, 1], 1));
        at_once(by_address((peer, 1), peer)).await.unwrap();
        at_once(by_address((peer, 1), peer)).await.unwrap_err();
    })
    .await;
    let keys = keys_of(async {
        let mut name = String::from("ann");
        let future = borrows_no_longer(&name, &Arc::default());
        name.push('a');
        future.await.unwrap();
    })
    .await;
    assert_eq!(keys, ["{3}:<name>=ann"]);
}

#[tokio::test]
async fn results_change_charges() {
    let runs = &Runs::default();
    scoped(async {
        judged(0, runs).await.unwrap();
        judged(1, runs).await.unwrap();
        judged(1, runs).await.unwrap_err();
    })
    .await;
    assert_eq!(runs.count(), 2);
}

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

/// A copy of the trait `Service` of the crate `tower`.
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

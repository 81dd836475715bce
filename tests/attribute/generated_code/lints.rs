//! Generated code triggers none of the lints that a user may enable. `cargo clippy` checks this file.

#![deny(warnings, clippy::pedantic, clippy::nursery)]
#![deny(
    let_underscore_drop,
    missing_debug_implementations,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unit_bindings,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    variant_size_differences
)]
#![deny(
    clippy::absolute_paths,
    clippy::allow_attributes,
    clippy::as_conversions,
    clippy::default_numeric_fallback,
    clippy::expect_used,
    clippy::panic,
    clippy::pattern_type_mismatch,
    clippy::same_name_method,
    clippy::semicolon_inside_block,
    clippy::shadow_reuse,
    clippy::shadow_same,
    clippy::shadow_unrelated,
    clippy::str_to_string,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm
)]
#![allow(clippy::redundant_pub_crate, reason = "at odds with `unreachable_pub`")]

use crate::harness::scoped;
use axum::extract::ConnectInfo;
use ratelimit::__private::RejectionTarget;
use ratelimit::body::{Held, HoldBody};
use ratelimit::{RateLimiter, Rejection, rate_limit};
use std::fmt::Display;
use std::future::{Future, ready};
use std::net::SocketAddr;
use std::pin::Pin;
use tokio::task::yield_now;

#[derive(Debug)]
pub(crate) struct Response;

impl RejectionTarget for Response {
    fn write_rejection(&mut self, _: Rejection) {}
}

impl HoldBody for &mut Response {
    type Output = ();

    fn hold(self, held: Held) {
        drop(held);
    }
}

/// A documented function.
///
/// # Errors
///
/// Returns an error if the function is called too often.
#[rate_limit(key = "one_expression")]
pub(crate) async fn one_expression(id: u64) -> Result<u64, Rejection> {
    Ok(id)
}

#[rate_limit(key = "{name}:{id}", count = id, by = (&name, id), cost = id + 1)]
pub(crate) async fn values(name: String, id: u32) -> Result<String, Rejection> {
    let longer = name + &id.to_string();
    Ok(longer)
}

#[rate_limit(by = "ip")]
pub(crate) async fn address(
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    (first, _): (u8, u8),
    _unused: u8,
    mut counter: u32,
) -> Result<u32, Rejection> {
    use std::cmp::max;
    const STEP: u32 = 2;
    counter += max(STEP, u32::from(first));
    Ok(counter + u32::from(peer.port()))
}

#[rate_limit(by = "ip")]
pub(crate) async fn unused_address(_peer: SocketAddr) -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count = 5, algorithm = "token_bucket", burst = 7, refill = "interval")]
pub(crate) async fn opaque() -> impl Display {
    "text"
}

#[rate_limit(count = 5, fallible)]
pub(crate) async fn fallible(_unused: &mut String) {}

#[rate_limit(by = "ip", fallible)]
pub(crate) async fn fallible_value(ConnectInfo(peer): ConnectInfo<SocketAddr>) -> String {
    peer.to_string()
}

#[rate_limit(count = 5)]
pub(crate) async fn into_a_response(_unused: &mut String, _response: &mut Response) {}

#[rate_limit(count = 5, algorithm = "concurrency", until = "body_end")]
pub(crate) async fn held_by_a_response(_unused: &mut String, _response: &mut Response) {}

#[rate_limit(on_limit = |rejection| rejection.to_string())]
pub(crate) async fn fallback() -> String {
    String::new()
}

#[rate_limit(on_limit = drop)]
pub(crate) async fn nothing() {}

#[rate_limit(algorithm = "concurrency", wait = "1s")]
pub(crate) async fn permit(id: u64) -> Result<u64, Rejection> {
    Ok(id)
}

#[rate_limit(refund_if = Result::is_err)]
pub(crate) async fn refunded(name: String, mut id: u32) -> Result<String, Rejection> {
    if name.is_empty() {
        return Ok(name);
    }
    id += 1;
    let longer = name + &id.to_string();
    Ok(longer)
}

#[rate_limit(on_limit = |_| 0, refund_if = |result| *result > 1)]
pub(crate) async fn charged(_unused: u8) -> u8 {
    1
}

#[rate_limit(cost = 2, settle = |text| u32::try_from(text.to_string().len()).unwrap_or(1))]
pub(crate) async fn settled() -> impl Display {
    "text"
}

#[rate_limit(by = id)]
pub(crate) fn future(id: u64) -> impl Future<Output = Result<u64, Rejection>> + Send {
    let doubled = 2 * id;
    async move { Ok(doubled) }
}

#[rate_limit(by = &name)]
pub(crate) fn future_of_another(name: String) -> impl Future<Output = Result<String, Rejection>> {
    ready(Ok(name))
}

#[rate_limit(by = id, refund_if = Result::is_err)]
pub(crate) fn boxed(id: u64) -> Boxed<u64> {
    Box::pin(async move {
        let doubled = 2 * id;
        Ok(doubled)
    })
}

#[rate_limit(by = id, algorithm = "concurrency")]
pub(crate) fn boxed_another(id: u64) -> Pin<Box<dyn Future<Output = Result<u64, Rejection>>>> {
    if id == 0 {
        return boxed(id);
    }
    boxed(id)
}

type Boxed<T> = Pin<Box<dyn Future<Output = Result<T, Rejection>>>>;

#[derive(Debug)]
pub(crate) struct Service<T> {
    limits: RateLimiter,
    value: T,
    keeps_nothing: bool,
}

impl<T: Sync> Service<T> {
    pub(crate) const fn new(value: T, limits: RateLimiter) -> Self {
        Self { limits, value, keeps_nothing: false }
    }

    #[rate_limit(limiter = self.limits)]
    pub(crate) async fn method(&self) -> Result<&T, Rejection> {
        Ok(&self.value)
    }

    #[rate_limit(key = "first", limiter = self.limits, algorithm = "leaky_bucket", wait = "1s")]
    #[rate_limit(key = "second:{name}", by = &name, cost = 2)]
    #[rate_limit(key = "third", algorithm = "concurrency")]
    #[rate_limit(key = "fourth", refund_if = |value| value.is_err() && self.keeps_nothing)]
    pub(crate) async fn stack(&self, name: &str) -> Result<&T, Rejection> {
        drop(name.to_owned());
        Ok(&self.value)
    }
}

#[rate_limit(limiter = self.limits, time = "1s")]
impl<T: Sync> Service<T> {
    pub(crate) async fn of_the_block(&self) -> Result<&T, Rejection> {
        Ok(&self.value)
    }

    pub(crate) fn future_of_the_block(&self) -> impl Future<Output = Result<bool, Rejection>> + Send {
        async move { Ok(self.keeps_nothing) }
    }

    #[rate_limit(skip)]
    pub(crate) async fn exempt(&self) -> bool {
        yield_now().await;
        self.keeps_nothing
    }
}

#[async_trait::async_trait]
pub(crate) trait Mail {
    async fn send(&self, to: String) -> Result<(), Rejection>;
    async fn receive(&self) -> Result<String, Rejection>;
}

#[async_trait::async_trait]
impl<T: Sync> Mail for Service<T> {
    #[rate_limit(key = "mail:{to}", limiter = self.limits)]
    async fn send(&self, to: String) -> Result<(), Rejection> {
        drop(to);
        Ok(())
    }

    #[rate_limit(limiter = self.limits, refund_if = |text| text.as_ref().is_ok_and(String::is_empty))]
    async fn receive(&self) -> Result<String, Rejection> {
        Ok(String::new())
    }
}

#[tokio::test]
async fn linted_functions_are_limited() {
    let service = Service::new("value", RateLimiter::in_memory());
    scoped(async {
        let peer = SocketAddr::from(([127, 0, 0, 1], 1));
        assert!(one_expression(1).await.is_ok());
        assert!(values("name".into(), 2).await.is_err());
        assert!(address(ConnectInfo(peer), (1, 2), 3, 4).await.is_ok());
        assert!(unused_address(peer).await.is_ok());
        assert!(opaque().await.is_ok());
        assert!(fallback().await.is_empty());
        nothing().await;
        assert!(fallible(&mut String::new()).await.is_ok());
        assert!(fallible_value(ConnectInfo(peer)).await.is_ok());
        into_a_response(&mut String::new(), &mut Response).await;
        held_by_a_response(&mut String::new(), &mut Response).await;
        assert!(service.method().await.is_ok());
        assert!(service.send("ann".into()).await.is_ok());
        assert!(permit(1).await.is_ok());
        assert!(refunded("ann".into(), 1).await.is_ok());
        assert_eq!(charged(2).await, 1);
        assert!(settled().await.is_ok());
        assert!(service.stack("ann").await.is_ok());
        assert!(service.receive().await.is_ok());
        assert!(service.of_the_block().await.is_ok());
        assert!(service.future_of_the_block().await.is_ok());
        assert!(!service.exempt().await);
        assert!(future(1).await.is_ok());
        assert!(future_of_another("ann".into()).await.is_ok());
        assert!(boxed(1).await.is_ok());
        assert!(boxed_another(1).await.is_ok());
    })
    .await;
}

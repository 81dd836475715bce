//! A user's lints say nothing about generated code: `cargo clippy` proves it.

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

use crate::setup::scoped;
use axum::extract::ConnectInfo;
use ratelimit::{RateLimiter, Rejection, rate_limit};
use std::fmt::Display;
use std::net::SocketAddr;

/// A documented function.
///
/// # Errors
///
/// If it is called too often.
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

#[rate_limit(on_limit = |rejection| rejection.to_string())]
pub(crate) async fn fallback() -> String {
    String::new()
}

#[rate_limit(on_limit = drop)]
pub(crate) async fn nothing() {}

#[derive(Debug)]
pub(crate) struct Service<T> {
    limits: RateLimiter,
    value: T,
}

impl<T: Sync> Service<T> {
    pub(crate) const fn new(value: T, limits: RateLimiter) -> Self {
        Self { limits, value }
    }

    #[rate_limit(limiter = self.limits)]
    pub(crate) async fn method(&self) -> Result<&T, Rejection> {
        Ok(&self.value)
    }
}

#[async_trait::async_trait]
pub(crate) trait Mail {
    async fn send(&self, to: String) -> Result<(), Rejection>;
}

#[async_trait::async_trait]
impl<T: Sync> Mail for Service<T> {
    #[rate_limit(key = "mail:{to}", limiter = self.limits)]
    async fn send(&self, to: String) -> Result<(), Rejection> {
        drop(to);
        Ok(())
    }
}

#[tokio::test]
async fn linted_functions_run() {
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
        assert!(service.method().await.is_ok());
        assert!(service.send("ann".into()).await.is_ok());
    })
    .await;
}

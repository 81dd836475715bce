// `fallible` wraps a plain return type in a `Result`, where that is possible and makes sense.

use async_trait::async_trait;
use ratelimit::{Rejection, rate_limit};
use std::fmt;

#[rate_limit(count = 5, fallible)]
async fn plain() -> u64 {
    1
}

#[rate_limit(count = 5, fallible)]
async fn already() -> Result<u64, Rejection> {
    Ok(1)
}

#[rate_limit(count = 5, fallible)]
async fn of_a_module() -> fmt::Result {
    Ok(())
}

#[rate_limit(count = 5, fallible, on_limit = |_| 0)]
async fn twice() -> u64 {
    1
}

#[rate_limit(count = 5, fallible = true)]
async fn with_a_value() -> u64 {
    1
}

#[rate_limit(count = 5)]
#[rate_limit(key = "b", count = 5, fallible)]
async fn in_the_second() -> u64 {
    1
}

struct Smtp;

#[async_trait]
trait Mail {
    async fn send(&self) -> u64;
}

#[async_trait]
impl Mail for Smtp {
    #[rate_limit(count = 5, fallible)]
    async fn send(&self) -> u64 {
        1
    }
}

trait Native {
    async fn count(&self) -> u64;
}

#[rate_limit(count = 5, fallible)]
impl Native for Smtp {
    async fn count(&self) -> u64 {
        1
    }
}

trait Later {
    type Future;
    fn later(&self) -> Self::Future;
}

impl Later for Smtp {
    type Future = std::pin::Pin<Box<dyn Future<Output = u64>>>;

    #[rate_limit(count = 5, fallible)]
    fn later(&self) -> Self::Future {
        Box::pin(async move { 1 })
    }
}

async fn caller() {
    let wrapped: Result<u64, Rejection> = plain().await;
    let _: u64 = wrapped.unwrap_or(0);
}

fn main() {}

//! Limiters on each store.

use ratelimit::testing::TestLimiter;
use ratelimit::{ErrorKind, Limit, OnError, RateLimitLayer, RateLimiter};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use support::{RedisServer, StubStore};

/// Returns a limiter in memory and a limiter on a private Redis server. Each has its own prefix, so tests do not share
/// state.
pub(crate) async fn limiters() -> [RateLimiter; 2] {
    [RateLimiter::in_memory(), on_redis().await]
}

/// Returns a limiter on the private Redis server of this process.
pub(crate) async fn on_redis() -> RateLimiter {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let prefix = format!("t{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    // A slow machine must not turn a decision into an outage.
    let builder = RateLimiter::builder().redis(redis_url()).prefix(prefix).on_error(OnError::Deny);
    builder.deadline(Duration::from_secs(10)).connect().await.unwrap()
}

/// The URL of the private Redis server of this process.
pub(crate) fn redis_url() -> String {
    static SERVER: OnceLock<RedisServer> = OnceLock::new();
    SERVER.get_or_init(RedisServer::start).url()
}

/// Polls until `free` units of a limit are free. A background task of the limiter returns units.
pub(crate) async fn until_free(limiter: &RateLimiter, limit: &Limit, key: &'static str, free: u32) {
    let is_free = async || (limiter.peek(limit, key).await.unwrap().remaining() == free).then_some(());
    until(&format!("the free units of `{key}` are {free}"), is_free).await;
}

/// Polls until `find` returns a value.
pub(crate) async fn until<T>(what: &str, mut find: impl AsyncFnMut() -> Option<T>) -> T {
    let polling = async {
        loop {
            match find().await {
                Some(found) => return found,
                None => tokio::time::sleep(Duration::from_millis(2)).await,
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), polling).await.unwrap_or_else(|_| panic!("in vain: {what}"))
}

/// Returns a limiter whose store always fails, so that it rejects all calls as unavailable.
pub(crate) async fn failing() -> RateLimiter {
    RateLimiter::builder()
        .store(StubStore::failing(ErrorKind::Unavailable))
        .on_error(OnError::Deny)
        .connect()
        .await
        .unwrap()
}

/// Returns a layer with its own limiter, whose clock stands still.
pub(crate) fn still_layer() -> RateLimitLayer {
    RateLimitLayer::new().limiter(TestLimiter::new().limiter().clone())
}

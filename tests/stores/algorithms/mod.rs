//! The algorithms with their exact numbers, on both stores: charges, refunds, turns, methods, long-term rates, and the
//! memory store.

mod charges;
mod costs;
mod keep;
mod memory_state;
mod memory_store;
mod methods;
mod rates;
mod refunds;
mod waiting;

use crate::harness::limiter_on;
use ratelimit::RateLimiter;
use support::RedisServer;

/// Runs a test in memory and on a server.
async fn on_both(test: impl AsyncFn(RateLimiter)) {
    test(RateLimiter::in_memory()).await;
    let server = RedisServer::start();
    test(limiter_on(&server).connect().await.unwrap()).await;
    assert_eq!(server.keys_without_ttl(), 0);
}

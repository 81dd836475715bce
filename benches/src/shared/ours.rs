//! Our client, used as in an application: one limiter with one connection, and complete decisions.

use super::load::Decider;
use ratelimit::{Key, Limit, OnError, RateLimiter};
use std::time::Duration;

/// Limits that refuse nothing. Their rates are in lowest terms. Single requests of all three limits have small scripts.
pub(crate) const COUNTER: Limit = Limit::counter(89_999_999, Duration::from_secs(1000));
pub(crate) const BUCKET: Limit = Limit::token_bucket(1_799_999, Duration::from_secs(1));
pub(crate) const WINDOW: Limit = Limit::sliding_window(999, Duration::from_secs(2));
/// A counter that takes a hundred units at a time from the store.
pub(crate) const LEASED: Limit = COUNTER.lease(100);

#[derive(Clone)]
pub(crate) struct Ours {
    limiter: RateLimiter,
    limit: &'static Limit,
}

/// Returns a limiter that rejects a call if the store does not reply, instead of deciding by itself.
pub(crate) async fn limiter(url: &str) -> Result<RateLimiter, ratelimit::Error> {
    RateLimiter::builder()
        .redis(url)
        .deadline(Duration::from_secs(10))
        .on_error(OnError::Deny)
        .connect()
        .await
}

impl Ours {
    pub(crate) fn new(limiter: &RateLimiter, limit: &'static Limit) -> Self {
        Self { limiter: limiter.clone(), limit }
    }
}

impl Decider for Ours {
    async fn decide(&mut self, key: u64) -> Result<(), String> {
        let admitted = self.limiter.check(self.limit, Key::new("bench").by(key)).await;
        admitted.map(|_| ()).map_err(|rejection| format!("{rejection:?}"))
    }
}

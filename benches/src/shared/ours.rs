//! Ours, as an application has it: one limiter, one connection, all that a decision says.

use super::crowd::Asker;
use ratelimit::{Key, Limit, OnError, RateLimiter};
use std::time::Duration;

/// So large that nothing is refused, and in lowest terms.
pub(crate) const COUNTER: Limit = Limit::counter(4_000_000_007, Duration::from_secs(1000));
pub(crate) const BUCKET: Limit = Limit::token_bucket(29_999_999, Duration::from_secs(1));
/// Taken from the store a hundred at a time.
pub(crate) const LEASED: Limit = COUNTER.lease(100);

#[derive(Clone)]
pub(crate) struct Ours {
    limiter: RateLimiter,
    limit: &'static Limit,
}

/// A limiter that says when the store does not answer, instead of deciding itself.
pub(crate) async fn limiter(url: &str) -> Result<RateLimiter, ratelimit::Error> {
    RateLimiter::builder().redis(url).deadline(Duration::from_secs(10)).on_error(OnError::Deny).build().await
}

impl Ours {
    pub(crate) fn new(limiter: &RateLimiter, limit: &'static Limit) -> Self {
        Self { limiter: limiter.clone(), limit }
    }
}

impl Asker for Ours {
    async fn ask(&mut self, key: u64) -> Result<(), String> {
        let admitted = self.limiter.check(self.limit, Key::new("bench").by(key)).await;
        admitted.map(|_| ()).map_err(|rejection| format!("{rejection:?}"))
    }
}

//! Makes the request to the store from a limit and a key: applies the override, and completes the key.

use super::RateLimiter;
use crate::error::{Error, ErrorKind};
use crate::key::{self, AsKey, StoreKey};
use crate::limit::Limit;
use crate::store::{NO_PERMIT, Request};

impl RateLimiter {
    /// The request for a limit as it is written in the code, under its key without the format of its state.
    pub(crate) fn resolve(&self, name: &str, mut key: StoreKey, written: &Limit, cost: u32) -> Request {
        let limit = self.shared.overrides.apply(name, &key, written);
        key.add_format(&limit);
        let request = Request::new(key, limit, cost);
        if limit.is_concurrency() { request.with_permit(permit_id()) } else { request }
    }

    /// The request of a call to a method of the limiter.
    pub(super) fn request(&self, limit: &Limit, key: &impl AsKey, cost: u32) -> Result<Request, Error> {
        Ok(self.resolve(key.name(), key::render(key, self.keys())?, limit, cost))
    }

    /// The request of a call that takes units without returning them as a permit does.
    pub(super) fn spending_request(
        &self,
        limit: &Limit,
        key: &impl AsKey,
        cost: u32,
    ) -> Result<Request, Error> {
        ensure_not_concurrency(self.request(limit, key, cost)?)
    }
}

/// Returns the request, or an error for a concurrency limit.
fn ensure_not_concurrency(request: Request) -> Result<Request, Error> {
    if request.limit().is_concurrency() {
        return Err(Error::new(
            ErrorKind::Configuration,
            "a concurrency limit has permits, which are returned; use `permit` instead",
        ));
    }
    Ok(request)
}

/// Returns a random id. Two permits under one key have the same id with a probability of 2^-52.
fn permit_id() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    static RANDOM: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NO_PERMIT + 1 + RANDOM.hash_one(NEXT.fetch_add(1, Ordering::Relaxed)) % ((1 << 52) - 1 - NO_PERMIT)
}

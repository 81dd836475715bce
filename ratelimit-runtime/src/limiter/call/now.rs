//! `check_now`: decides without a future.

use super::attempt::{failed, rejected};
use super::checking::Admitted;
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::key::{AsKey, Name};
use crate::limit::Limit;
use crate::limiter::RateLimiter;
use crate::rejection::Rejection;
use crate::store::Reply;
use crate::store::cost::Cost;

impl RateLimiter {
    /// Takes one unit of a limit if one is free, like [`check`](Self::check), but without a future. It is for functions that are
    /// not async, for `Drop` and for tests, and works inside and outside of a tokio runtime. The limiter must have its state in
    /// memory.
    ///
    /// ```
    /// use ratelimit::{Key, Limit, RateLimiter, per};
    ///
    /// const WARNINGS: Limit = Limit::counter(2, per::MINUTE);
    ///
    /// /// Returns whether the warning may be written.
    /// fn may_warn(limiter: &RateLimiter, sensor: u32) -> bool {
    ///     limiter.check_now(&WARNINGS, Key::new("warnings").by(sensor)).is_ok()
    /// }
    ///
    /// let limiter = RateLimiter::in_memory();
    /// let written = (0..10).filter(|_| may_warn(&limiter, 7)).count();
    /// assert_eq!(written, 2);
    /// ```
    ///
    /// It never waits, so a loop over it does not let other tasks run.
    ///
    /// # Errors
    ///
    /// A [`Rejection`], with the same cases as [`check`](Self::check). [`Unavailable`](Rejection::Unavailable) also if the store
    /// is not a [`MemoryStore`](crate::MemoryStore), such as Redis; then no request is sent.
    pub fn check_now(&self, limit: &Limit, key: impl AsKey) -> Result<Admitted, Rejection> {
        let cost = Cost::new(1);
        match self.check_at_once(limit, &key, cost) {
            Some(ended) => admitted(&key, ended.map(|decision| decision.decision(limit))),
            None => self.check_otherwise(limit, &key, cost),
        }
    }

    #[cold]
    #[inline(never)]
    fn check_otherwise(&self, limit: &Limit, key: &impl AsKey, cost: Cost) -> Result<Admitted, Rejection> {
        if !self.shared.decides_hashes && !self.is_off() {
            return Err(failed(Name::new(key.name()), not_in_memory()));
        }
        if !self.knows_overrides()
            && let Reply::Ready(loaded) = self.load_overrides()
        {
            self.shared.overrides.learn(loaded);
        }
        match self.spend(None, limit, key, cost) {
            Ok(ended) => admitted(key, ended),
            Err(_pending) => Err(failed(Name::new(key.name()), not_in_memory())),
        }
    }
}

#[inline]
fn admitted(key: &impl AsKey, ended: Result<Decision, Error>) -> Result<Admitted, Rejection> {
    match ended {
        Ok(decision) if decision.is_allowed() => Ok(Admitted::new(decision)),
        ended => Err(rejected(Name::new(key.name()), ended)),
    }
}

#[cold]
fn not_in_memory() -> Error {
    Error::new(
        ErrorKind::Configuration,
        "`check_now` does not wait for a store, so it needs a limiter in memory; use `check` in an async function",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::LimitChange;
    use std::time::Duration;

    const TWO: Limit = Limit::counter(2, Duration::from_secs(60));

    fn run<F: Future>(future: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    fn kind(rejected: Result<Admitted, Rejection>) -> ErrorKind {
        match rejected.unwrap_err() {
            Rejection::Unavailable(unavailable) => unavailable.error().kind(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn it_decides_what_check_decides_with_and_without_a_runtime() {
        for limit in [TWO, Limit::token_bucket(2, TWO.time()), Limit::sliding_log(2, TWO.time())] {
            let limiter = RateLimiter::in_memory();
            assert_eq!(limiter.check_now(&limit, "k").unwrap().decision().remaining(), 1);
            run(async {
                assert_eq!(limiter.check(&limit, "k").await.unwrap().decision().remaining(), 0);
                assert!(limiter.check_now(&limit, "k").is_err());
            });
            let refused = limiter.check_now(&limit, "k").unwrap_err();
            assert_eq!((refused.name(), refused.retry_after().is_some()), ("k", true), "{limit}");
        }
    }

    #[test]
    fn it_applies_overrides() {
        let limiter = RateLimiter::in_memory();
        run(limiter.overrides().set("k", LimitChange::new().count(1))).unwrap();
        assert_eq!(limiter.check_now(&TWO, "k").unwrap().decision().capacity(), 1);
        assert!(limiter.check_now(&TWO, "k").is_err());
    }

    #[test]
    fn a_limit_that_needs_a_future_is_rejected_without_a_request() {
        let limiter = RateLimiter::in_memory();
        let permits = Limit::concurrency(2, Duration::from_secs(1));
        assert_eq!(kind(limiter.check_now(&permits, "k")), ErrorKind::Configuration);
        let remote = RateLimiter::builder().redis("redis://127.0.0.1:1").build().unwrap();
        assert_eq!(kind(remote.check_now(&TWO, "k")), ErrorKind::Configuration);
    }

    #[test]
    fn limits_that_are_off_admit() {
        let off = run(RateLimiter::builder().off().connect()).unwrap();
        assert!((0..9).all(|_| off.check_now(&TWO, "k").is_ok()));
    }
}

//! Limiters on private servers, and helpers for the outcomes of their calls.

use super::waiting::PATIENCE;
use ratelimit::store::{Adjusted, Adjustment, Decisions, Mode, Reply, Request, Store, StoreKey};
use ratelimit::{
    Admitted, Decision, Error, ErrorKind, Limit, OnError, RateLimiter, RateLimiterBuilder, RedisStore,
    Rejection,
};
use support::{DAY, RedisServer};

/// A limit that no test uses up.
pub(crate) const HUGE: Limit = Limit::counter(4_000_000_000, DAY);

/// A limiter on a server, with a deadline that even a busy machine does not miss.
pub(crate) fn limiter_on(server: &RedisServer) -> RateLimiterBuilder {
    RateLimiter::builder().redis(server.url()).deadline(PATIENCE)
}

/// Runs a test with the memory store and with a server.
pub(crate) async fn on_both(test: impl AsyncFn(RateLimiter)) {
    test(RateLimiter::in_memory()).await;
    let server = RedisServer::start();
    test(limiter_on(&server).connect().await.unwrap()).await;
}

/// A store that only decides. Its limiter does not publish its limits, which would need a script call at an unknown time. A
/// test can therefore count the script calls.
pub(crate) struct OnlyDecides(pub(crate) RedisStore);

impl Store for OnlyDecides {
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
        self.0.decide(mode, requests)
    }

    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        self.0.adjust(adjustments)
    }

    fn reset(&self, keys: &[StoreKey]) -> Reply<u64> {
        self.0.reset(keys)
    }

    fn probe(&self, key: &StoreKey) -> Reply<Vec<Reply<()>>> {
        self.0.probe(key)
    }
}

/// A limiter at a URL, with the deadline [`PATIENCE`], whose script calls can be counted. If the store does not decide a call,
/// the call fails.
pub(crate) fn counted_at(url: &str) -> RateLimiterBuilder {
    let store = OnlyDecides(RedisStore::new(url).unwrap());
    RateLimiter::builder().store(store).deadline(PATIENCE).on_error(OnError::Deny)
}

/// A limiter at a URL, with the deadline [`PATIENCE`]. If the store does not decide a call, the call fails.
pub(crate) fn limiter_at(url: impl Into<String>) -> RateLimiterBuilder {
    RateLimiter::builder().redis(url).deadline(PATIENCE).on_error(OnError::Deny)
}

/// The decision of a call that was admitted or refused.
pub(crate) fn decision(outcome: Result<Admitted, Rejection>) -> Decision {
    match outcome {
        Ok(admitted) => admitted.decision(),
        Err(rejection) => rejection.decision().unwrap_or_else(|| panic!("no decision: {rejection:?}")),
    }
}

/// The error of a call that has no decision.
pub(crate) fn undecided<T>(outcome: Result<T, Rejection>) -> Error {
    match outcome {
        Err(Rejection::Unidentified(unidentified)) => unidentified.error().clone(),
        Err(Rejection::Unavailable(unavailable)) => unavailable.error().clone(),
        Err(rejection) => panic!("a decision was made: {rejection:?}"),
        Ok(_) => panic!("the call was admitted"),
    }
}

/// The kind of the error of a call that has no decision. `None` if the call was admitted.
pub(crate) fn failure<T>(outcome: Result<T, Rejection>) -> Option<ErrorKind> {
    outcome.is_err().then(|| undecided(outcome).kind())
}

/// Makes `each` calls of [`HUGE`] from each of several concurrent tasks. All calls must be admitted.
pub(crate) async fn call_from_tasks(limiter: &RateLimiter, tasks: u32, each: u32) {
    let mut calling = tokio::task::JoinSet::new();
    for _ in 0..tasks {
        let limiter = limiter.clone();
        calling.spawn(async move {
            for _ in 0..each {
                limiter.check(&HUGE, "calls").await.unwrap();
            }
        });
    }
    calling.join_all().await;
}

/// The units of [`HUGE`] that calls have taken.
pub(crate) async fn used(limiter: &RateLimiter) -> u32 {
    HUGE.count() - limiter.peek(&HUGE, "calls").await.unwrap().remaining()
}

/// A connection like those of applications. The default timeout of half a second is too short for a busy machine.
pub(crate) async fn connection_to(url: &str) -> redis::RedisResult<redis::aio::MultiplexedConnection> {
    let patient = redis::AsyncConnectionConfig::new();
    let patient = patient.set_connection_timeout(Some(PATIENCE)).set_response_timeout(Some(PATIENCE));
    redis::Client::open(url)?.get_multiplexed_async_connection_with_config(&patient).await
}

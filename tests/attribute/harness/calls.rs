//! Limiters for tests, and helpers that call limited functions.

use super::RemoteStore;
use ratelimit::clock::ManualClock;
use ratelimit::store::Store;
use ratelimit::{MemoryStore, RateLimiter, Rejection};
use std::future::{Future, poll_fn};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::ParseIntError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Poll;

/// The address of a client.
pub(crate) const PEER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 1);

/// Counts how often a body has run.
#[derive(Debug, Default)]
pub(crate) struct Runs(AtomicU32);

impl Runs {
    pub(crate) fn add(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Returns an identity that borrows from `self`.
    #[expect(clippy::unused_self, reason = "it has to borrow something")]
    pub(crate) fn who(&self) -> &'static str {
        "ann"
    }

    pub(crate) fn count(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The error of a limited function.
#[derive(Debug)]
pub(crate) enum Failed {
    Rejected,
    Parsing,
    Other,
}

impl From<Rejection> for Failed {
    fn from(_: Rejection) -> Self {
        Self::Rejected
    }
}

impl From<ParseIntError> for Failed {
    fn from(_: ParseIntError) -> Self {
        Self::Parsing
    }
}

/// Runs a test with its own limiter.
pub(crate) async fn scoped<F: Future>(test: F) -> F::Output {
    scoped_with(&ManualClock::new(), test).await
}

/// Runs a test with its own limiter and a clock that the test moves.
pub(crate) async fn scoped_with<F: Future>(clock: &ManualClock, test: F) -> F::Output {
    ratelimit::scope(limiter(MemoryStore::with_clock(clock.clone())).await, test).await
}

pub(crate) async fn limiter(store: impl Store) -> RateLimiter {
    RateLimiter::builder().store(store).connect().await.unwrap()
}

/// Calls a function whose limit is one call. The first call is admitted, and the second one is refused before its body runs.
/// Returns the error of the second call.
pub(crate) async fn passes_once<T, E>(runs: &Runs, mut call: impl AsyncFnMut() -> Result<T, E>) -> E {
    scoped(async {
        let before = runs.count();
        assert!(call().await.is_ok(), "the first call passes");
        assert_eq!(runs.count(), before + 1, "its body runs");
        let refused = call().await;
        assert_eq!(runs.count(), before + 1, "the body of a refused call does not run");
        refused.err().expect("the second call is refused")
    })
    .await
}

/// Returns the keys for which `test` requests decisions, without the format at their end.
pub(crate) async fn keys_of<F: Future>(test: F) -> Vec<String> {
    let store = RemoteStore::with_clock(&ManualClock::new());
    ratelimit::scope(limiter(store.clone()).await, test).await;
    store.take_keys()
}

/// Returns the names of the shadow limits that would have refused calls of `test`. The names are in the events that the
/// library logs on this thread.
pub(crate) async fn reported(test: impl Future<Output = ()>) -> Vec<String> {
    let _ = support::take_events();
    test.await;
    let events = support::take_events().into_iter();
    let reports = events.filter(|event| event.target == "ratelimit::shadow");
    let fields = reports.flat_map(|report| report.fields);
    fields.filter(|(name, _)| *name == "limit").map(|(_, limit)| limit).collect()
}

/// Polls a future once. Returns its output if it is ready.
pub(crate) async fn soon<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    poll_fn(|context| match Pin::new(&mut *future).poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

/// Returns the output of a future that is never pending. Panics if it is pending.
pub(crate) async fn at_once<F: Future>(future: F) -> F::Output {
    soon(&mut Box::pin(future)).await.expect("the future is never pending")
}

/// Returns the output of a future, or `None` if it panics.
pub(crate) async fn caught<F: Future>(future: F) -> Option<F::Output> {
    let mut future = Box::pin(future);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(poll) => poll.map(Some),
        Err(_) => Poll::Ready(None),
    })
    .await
}

/// Returns the error of a call that was rejected as unidentified. Panics on any other outcome.
pub(crate) fn unidentified<T>(outcome: Result<T, Rejection>) -> ratelimit::Error {
    match outcome {
        Err(Rejection::Unidentified(unidentified)) => unidentified.error().clone(),
        Err(other) => panic!("the caller was known: {other:?}"),
        Ok(_) => panic!("the call was admitted"),
    }
}

/// Returns the error of a call that was rejected as unavailable. Panics on any other outcome.
pub(crate) fn unavailable<T>(outcome: Result<T, Rejection>) -> ratelimit::Error {
    match outcome {
        Err(Rejection::Unavailable(unavailable)) => unavailable.error().clone(),
        Err(other) => panic!("a decision was made: {other:?}"),
        Ok(_) => panic!("the call was admitted"),
    }
}

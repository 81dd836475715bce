//! Waiting for events on real servers. Each wait polls for its event and has an upper bound.

use super::is_soak;
use super::limiters::{HUGE, undecided};
use ratelimit::{Limit, RateLimiter};
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};
use support::{DAY, MS, SECOND};
use tokio::runtime::{Builder, Runtime};

/// The longest time that a test waits for an event, even on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Polls until a condition holds.
pub(crate) async fn wait_for(event: &str, mut has_happened: impl AsyncFnMut() -> bool) {
    let start = Instant::now();
    while !has_happened().await {
        assert!(start.elapsed() < PATIENCE, "waited in vain: {event}");
        tokio::time::sleep(2 * MS).await;
    }
}

/// The output of a future that must be ready within [`PATIENCE`].
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("the future is not ready")
}

/// The output of a future that is ready at once, such as the reply of a memory store.
pub(crate) fn now_or_panic<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the future is not ready"),
    }
}

/// Polls a future once.
pub(crate) async fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(Pin::new(&mut *future).poll(context))).await
}

/// A single-threaded tokio runtime, which makes progress only inside `block_on`.
pub(crate) fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

/// Waits until a limiter reaches its server again.
pub(crate) async fn wait_until_reachable(limiter: &RateLimiter) {
    wait_for("the limiter reaches its server", async || limiter.peek(&HUGE, "calls").await.is_ok()).await;
}

/// Calls until a key is decided. Returns the time that this took. All previous errors must be transient.
pub(crate) async fn time_until_decided(limiter: &RateLimiter, key: &str) -> Duration {
    let (start, limit) = (Instant::now(), Limit::counter(1_000_000, DAY));
    let decided = async {
        while let Err(rejection) = limiter.check(&limit, key).await {
            let error = undecided::<()>(Err(rejection));
            assert!(error.is_transient(), "{error}");
            tokio::time::sleep(10 * MS).await;
        }
    };
    // A sentinel that was not scheduled for two seconds does nothing for the following 30 seconds, so this waits for longer.
    tokio::time::timeout(120 * SECOND, decided).await.expect("the key is not decided again");
    start.elapsed()
}

/// In the soak, asserts that a recovery took at most this time. A busy machine may need longer.
pub(crate) fn assert_recovered_within(bound: Duration, took: Duration) {
    println!("recovered after {took:?}");
    assert!(took <= bound || !is_soak(), "{took:?}");
}

//! The assertions of a `TestLimiter`: that a number of calls is admitted, and that a call is refused for a time.

use super::TestLimiter;
use super::store::Decided;
use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::time::Duration;

/// The smallest useful step of the clock: refusals end at whole milliseconds.
const STEP: Duration = Duration::from_millis(1);

/// The place of an assertion in the test. The message begins with it, because the panic itself is in this file.
type At = &'static Location<'static>;

impl TestLimiter {
    /// Makes `calls` calls, one after another, and asserts that the limits admit all of them. The calls run in the
    /// [scope](Self::scope) of this limiter. Their return values are ignored.
    ///
    /// # Panics
    ///
    /// If a call is refused, or does not ask this limiter for a decision. The message names the place of the assertion.
    #[track_caller]
    pub fn assert_admitted<T>(
        &self,
        calls: u32,
        mut call: impl AsyncFnMut() -> T,
    ) -> impl Future<Output = ()> {
        let at = Location::caller();
        async move {
            for number in 1..=calls {
                if let Some(refusal) = self.refusal(at, &mut call).await {
                    fail(at, format_args!("call {number} of {calls} was refused by {}", shown(&refusal)));
                }
            }
        }
    }

    /// Asserts that a call is refused until exactly `time` has passed, and is admitted then. Moves the [clock](Self::clock) by
    /// `time`, which must be a whole number of milliseconds. The call is made three times: now, one millisecond before the end,
    /// and at the end.
    ///
    /// # Panics
    ///
    /// If the call is admitted early, is refused at the end, or does not ask this limiter for a decision. The message names the
    /// place of the assertion.
    #[track_caller]
    pub fn assert_refused_for<T>(
        &self,
        time: Duration,
        mut call: impl AsyncFnMut() -> T,
    ) -> impl Future<Output = ()> {
        let at = Location::caller();
        async move {
            if time < STEP {
                fail(at, format_args!("a refusal lasts at least 1 ms, and {time:?} was expected"));
            }
            let Some(refusal) = self.refusal(at, &mut call).await else {
                fail(at, format_args!("the call was admitted; expected a refusal for {time:?}"))
            };
            self.clock().advance(time.saturating_sub(STEP));
            if self.refusal(at, &mut call).await.is_none() {
                fail(
                    at,
                    format_args!(
                        "the call was admitted before {time:?} had passed, after {}",
                        shown(&refusal)
                    ),
                );
            }
            self.clock().advance(STEP);
            if let Some(refusal) = self.refusal(at, &mut call).await {
                fail(at, format_args!("the call was still refused after {time:?} by {}", shown(&refusal)));
            }
        }
    }

    /// Makes a call. If the call was refused, returns the refusal with the longest wait.
    async fn refusal<T>(&self, at: At, call: &mut impl AsyncFnMut() -> T) -> Option<Decided> {
        self.store.take_decisions();
        // The closure itself runs in the scope, too.
        self.scope(async { call().await }).await;
        let decided = self.store.take_decisions();
        if decided.is_empty() {
            fail(
                at,
                format_args!(
                    "the call asked this limiter for no decision: it is exempt or not limited, it uses another limiter or a \
                     task of its own, it was rejected before, or the store is unavailable"
                ),
            );
        }
        let refused = decided.into_iter().filter(|decided| !decided.decision.is_allowed());
        refused.max_by_key(|decided| decided.decision.retry_after().unwrap_or(Duration::MAX))
    }
}

fn shown(refusal: &Decided) -> String {
    let (key, decision) = (refusal.key(), &refusal.decision);
    match decision.retry_after() {
        Some(wait) => {
            format!("`{key}`, to be tried again after {wait:?} ({} units remain)", decision.remaining())
        }
        None => {
            format!("`{key}`, for ever: its cost is above what the limit can hold ({})", decision.capacity())
        }
    }
}

#[expect(clippy::panic, reason = "a failed assertion of a test")]
fn fail(at: At, message: fmt::Arguments<'_>) -> ! {
    panic!("{at}: {message}")
}

#[cfg(test)]
mod tests;

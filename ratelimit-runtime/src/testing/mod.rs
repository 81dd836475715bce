//! Helpers for the tests of applications: a limiter in memory whose clock the test moves, and assertions about its limits.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! use ratelimit::testing::TestLimiter;
//! use ratelimit::{Rejection, rate_limit};
//! use std::time::Duration;
//!
//! #[rate_limit(key = "mails", time = "1h", count = 3, by = user)]
//! async fn send_mail(user: u64) -> Result<(), Rejection> {
//!     Ok(())
//! }
//!
//! let limiter = TestLimiter::new();
//! limiter.assert_admitted(3, || send_mail(7)).await;
//! limiter.assert_refused_for(Duration::from_secs(3600), || send_mail(7)).await;
//! limiter.assert_admitted(3, || send_mail(8)).await; // another user
//! # }
//! ```
//!
//! The helpers panic if an assertion fails, so they are for tests only.

mod assertions;
#[cfg(feature = "conformance")]
pub mod conformance;
mod store;

use crate::clock::ManualClock;
use crate::context::{RecordedDecision, RequestContext};
use crate::decision::Decision;
use crate::error::Error;
use crate::key::Name;
use crate::limiter::current::scope;
use crate::limiter::{RateLimiter, RateLimiterBuilder};
use crate::proxies::Proxies;
use crate::rejection::Rejection;
use std::future::Future;
use std::ops::Deref;
use store::TestStore;

/// The rejection of a call to the limit `name`, for tests of code that handles rejections.
///
/// ```
/// use ratelimit::testing::rejection;
/// use ratelimit::{Decision, Error, ErrorKind, Limit, Rejection, per};
/// use std::time::Duration;
///
/// let limit = Limit::counter(10, per::HOUR);
/// let refused = Decision::refuse(&limit, 0, Some(Duration::from_secs(90)), per::HOUR);
/// let limited = rejection("mails", Ok(refused));
/// assert_eq!((limited.name(), limited.retry_after()), ("mails", Some(Duration::from_secs(90))));
///
/// let no_user = Error::new(ErrorKind::NoIdentity, "the request names no user");
/// assert!(matches!(rejection("mails", Err(no_user)), Rejection::Unidentified(_)));
/// let outage = Error::new(ErrorKind::Unavailable, "the server is down");
/// assert!(matches!(rejection("mails", Err(outage)), Rejection::Unavailable(_)));
/// ```
///
/// # Panics
///
/// If the decision admits the call.
pub fn rejection(name: &str, why: Result<Decision, Error>) -> Rejection {
    match why {
        Ok(decision) => {
            assert!(!decision.is_allowed(), "a rejection needs a decision that refuses");
            Rejection::limited(Name::new(name), decision)
        }
        Err(error) => Rejection::undecided(Name::new(name), error),
    }
}

/// A limiter for tests. It stores its state in memory, and its clock stands still until the test moves it.
///
/// It dereferences to a [`RateLimiter`], so it has all methods of a limiter. Create one in each test, so that tests do not
/// share limits. It reads no environment variable, takes no leases, and remembers no refusals, so that every call asks for a
/// decision.
///
/// A call that waits for its turn sleeps on tokio's clock, which this limiter does not move. For limits with `wait`, use
/// [`with_tokio_clock`](Self::with_tokio_clock) in a test with paused time.
#[derive(Clone, Debug)]
pub struct TestLimiter {
    limiter: RateLimiter,
    store: TestStore,
}

impl TestLimiter {
    /// Creates a limiter with default settings.
    pub fn new() -> Self {
        let store = TestStore::new();
        Self { limiter: RateLimiter::builder().around_test_store(store.clone(), Proxies::default()), store }
    }

    /// Creates a limiter with the settings of a builder, such as its failure policy. The store of the builder is not used, so
    /// no connection is made.
    ///
    /// # Errors
    ///
    /// If a setting is out of range.
    pub fn with_settings(settings: RateLimiterBuilder) -> Result<Self, Error> {
        let store = TestStore::new();
        Ok(Self { limiter: settings.around_for_tests(store.clone())?, store })
    }

    /// Lets tokio's clock move the limits in addition to [`clock`](Self::clock), from now on. In a test with paused time, a call
    /// that waits for its turn then takes no real time, and all assertions work.
    ///
    /// Use such a limiter in one runtime only, as every [`TokioClock`](crate::clock::TokioClock).
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
    /// use ratelimit::testing::TestLimiter;
    /// use ratelimit::{Rejection, rate_limit};
    /// use std::time::Duration;
    ///
    /// #[rate_limit(key = "mails", time = "1s", count = 10, algorithm = "leaky_bucket", wait = "2s")]
    /// async fn send_mail() -> Result<(), Rejection> { Ok(()) }
    ///
    /// let (limiter, start) = (TestLimiter::new().with_tokio_clock(), tokio::time::Instant::now());
    /// limiter.assert_admitted(8, send_mail).await;
    /// assert_eq!(start.elapsed(), Duration::from_millis(700));
    /// # }
    /// ```
    pub fn with_tokio_clock(self) -> Self {
        self.store.follow_tokio();
        self
    }

    /// Returns the limiter, for example to clone it for a layer, or to pass it to code that takes a `RateLimiter`.
    pub fn limiter(&self) -> &RateLimiter {
        &self.limiter
    }

    /// Returns the clock of the limits, which starts at zero.
    pub fn clock(&self) -> &ManualClock {
        self.store.clock()
    }

    /// Makes the store unavailable, as in an outage, or available again. While the store is unavailable, the failure policy
    /// decides.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// use ratelimit::testing::TestLimiter;
    /// use ratelimit::{Rejection, rate_limit};
    ///
    /// #[rate_limit(key = "login", count = 5, on_error = "deny")]
    /// async fn login() -> Result<(), Rejection> { Ok(()) }
    ///
    /// let limiter = TestLimiter::new();
    /// limiter.set_available(false);
    /// assert!(matches!(limiter.scope(login()).await, Err(Rejection::Unavailable(_))));
    /// assert!(!limiter.status().await.is_reachable());
    /// # }
    /// ```
    pub fn set_available(&self, available: bool) {
        self.store.set_available(available);
    }

    /// Runs a future in which attributes use this limiter, as [`ratelimit::scope`](crate::scope) does.
    pub fn scope<F: Future>(&self, future: F) -> impl Future<Output = F::Output> {
        scope(self.limiter.clone(), future)
    }

    /// Runs a future as [`scope`](Self::scope) does, in a new [`RequestContext`]. Returns the output of the future, and the
    /// decisions of its attributes in order.
    ///
    /// A refused call makes no further decisions after its refusal. Shadow limits and exempt calls add no decisions to the
    /// result.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// use ratelimit::testing::TestLimiter;
    /// use ratelimit::{Rejection, rate_limit};
    ///
    /// #[rate_limit(key = "upload", count = 100, cost = bytes / 1000)]
    /// async fn upload(bytes: u32) -> Result<(), Rejection> { Ok(()) }
    ///
    /// let (uploaded, decisions) = TestLimiter::new().record(upload(7000)).await;
    /// assert!(uploaded.is_ok());
    /// assert_eq!((decisions[0].name(), decisions[0].cost()), ("upload", 7));
    /// assert_eq!(decisions[0].decision().remaining(), 93);
    /// # }
    /// ```
    pub async fn record<F: Future>(&self, future: F) -> (F::Output, Vec<RecordedDecision>) {
        let context = RequestContext::new();
        let output = self.scope(context.clone().scope(future)).await;
        (output, context.decisions())
    }
}

impl Default for TestLimiter {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for TestLimiter {
    type Target = RateLimiter;

    fn deref(&self) -> &RateLimiter {
        &self.limiter
    }
}

//! Finds the limiter of an attribute without `limiter = ..`: the scoped limiter, else the installed one, else the default one.

use super::RateLimiter;
use super::installed::installed_or_default;
#[cfg(feature = "rocket")]
use crate::by_task::ByTask;
use crate::error::Error;
use std::borrow::Cow;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};

tokio::task_local! {
    static SCOPED: RateLimiter;
}

/// The limiters of the layers around the requests that rocket is answering.
#[cfg(feature = "rocket")]
pub(crate) static OF_REQUESTS: ByTask<RateLimiter> = ByTask::new();

/// Whether a scope was ever created. Most programs create no scope, so their calls skip the lookup.
static ANY_SCOPE: AtomicBool = AtomicBool::new(false);

/// The limiter of one call: a reference to the limiter of the process, or a clone of a scoped limiter.
pub(crate) type CurrentLimiter = Cow<'static, RateLimiter>;

/// Returns the limiter for a call of the limit `name`.
///
/// # Errors
///
/// If no limiter is scoped or installed, and `RATELIMIT_URL`, `RATELIMIT_TRUSTED_PROXIES` or `RATELIMIT_OFF` is invalid. The next
/// call tries again.
#[inline]
pub(crate) fn current(name: &'static str) -> Result<CurrentLimiter, Error> {
    or_installed(RateLimiter::scoped(), name)
}

/// Does the same as [`current`], with a scoped limiter that was found before.
#[inline]
pub(crate) fn or_installed(scoped: Option<RateLimiter>, name: &'static str) -> Result<CurrentLimiter, Error> {
    match scoped {
        Some(limiter) => Ok(Cow::Owned(limiter)),
        None => installed_or_default(name).map(Cow::Borrowed),
    }
}

/// Runs a future in which attributes use `limiter`. Use it for tests, and for tenants with their own store.
///
/// The scope applies wherever the future is polled. It does not apply to tasks that the future spawns with
/// [`tokio::spawn`]: pass the limiter to them with [`RateLimiter::scoped`].
///
/// A limited function may return a future without being `async`. The limiter and the request context are those of the scope in
/// which the future is first polled. If it is polled outside of any scope, they are those of the scope in which the function was
/// called. So `ratelimit::scope(limiter, f())` decides with `limiter`, and a future that was made in a scope and is polled in
/// another task keeps the limiter of the scope.
///
/// ```
/// use ratelimit::{RateLimiter, Rejection, rate_limit};
///
/// #[rate_limit(key = "scope_example", count = 1)]
/// async fn once() -> Result<(), Rejection> { Ok(()) }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// ratelimit::scope(RateLimiter::in_memory(), async {
///     assert!(once().await.is_ok());
///     assert!(once().await.is_err());
/// }).await;
/// // Another scope has its own state.
/// ratelimit::scope(RateLimiter::in_memory(), async { assert!(once().await.is_ok()) }).await;
/// # }
/// ```
pub fn scope<F: Future>(limiter: RateLimiter, future: F) -> impl Future<Output = F::Output> {
    ANY_SCOPE.store(true, Ordering::Relaxed);
    SCOPED.scope(limiter, future)
}

pin_project_lite::pin_project! {
    /// A future that runs in the scope of a limiter, or without a scope.
    #[project = InScopeProjection]
    pub(crate) enum InScope<F> {
        Scoped { #[pin] future: tokio::task::futures::TaskLocalFuture<RateLimiter, F> },
        Unscoped { #[pin] future: F },
    }
}

/// Runs a future in the scope of `limiter`. `None` runs it without a scope.
pub(crate) fn in_scope<F: Future>(limiter: Option<RateLimiter>, future: F) -> InScope<F> {
    match limiter {
        Some(limiter) => {
            ANY_SCOPE.store(true, Ordering::Relaxed);
            InScope::Scoped { future: SCOPED.scope(limiter, future) }
        }
        None => InScope::Unscoped { future },
    }
}

impl<F: Future> Future for InScope<F> {
    type Output = F::Output;

    fn poll(
        self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<F::Output> {
        match self.project() {
            InScopeProjection::Scoped { future } => future.poll(context),
            InScopeProjection::Unscoped { future } => future.poll(context),
        }
    }
}

impl RateLimiter {
    /// Returns the limiter of the innermost [`scope`] around this call, so that a spawned task can use this limiter. `None`
    /// outside of a scope.
    #[inline]
    pub fn scoped() -> Option<Self> {
        #[cfg(feature = "rocket")]
        if let Some(limiter) = OF_REQUESTS.find(scoped, RateLimiter::is) {
            return Some(limiter);
        }
        if !ANY_SCOPE.load(Ordering::Relaxed) {
            return None;
        }
        SCOPED.try_with(Self::clone).ok()
    }
}

/// Returns the limiter of the innermost scope. `None` outside of a scope.
pub(crate) fn scoped() -> Option<RateLimiter> {
    SCOPED.try_with(RateLimiter::clone).ok()
}

/// Runs a function in the scope of `limiter`. `None` runs it without a scope.
pub(crate) fn sync_scope<R>(limiter: Option<&RateLimiter>, run: impl FnOnce() -> R) -> R {
    match limiter {
        Some(limiter) => {
            ANY_SCOPE.store(true, Ordering::Relaxed);
            SCOPED.sync_scope(limiter.clone(), run)
        }
        None => run(),
    }
}

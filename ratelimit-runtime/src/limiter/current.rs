//! Which limiter an attribute without `limiter = ..` uses: the scoped one, else the installed one, else a default.

use super::RateLimiter;
use crate::error::{Error, ErrorKind};
use once_cell::sync::OnceCell;
use std::fmt;
use std::future::Future;
use std::ops::Deref;

/// The environment variable that names the store of the default limiter.
pub(super) const URL: &str = "RATELIMIT_URL";

static PROCESS: OnceCell<Process> = OnceCell::new();

tokio::task_local! {
    static SCOPED: RateLimiter;
}

struct Process {
    limiter: RateLimiter,
    /// The limit whose call has built it, if nobody has installed it.
    built_by: Option<&'static str>,
}

/// A limiter to decide with now.
pub(crate) enum Current {
    Process(&'static RateLimiter),
    Own(RateLimiter),
}

impl Deref for Current {
    type Target = RateLimiter;

    fn deref(&self) -> &RateLimiter {
        match self {
            Self::Process(limiter) => limiter,
            Self::Own(limiter) => limiter,
        }
    }
}

/// The limiter for a call of the limit `name`.
///
/// # Errors
///
/// If there is none, and the environment names a store that cannot be used. It is asked again at the next call.
pub(crate) fn current(name: &'static str) -> Result<Current, Error> {
    if let Ok(limiter) = SCOPED.try_with(RateLimiter::clone) {
        return Ok(Current::Own(limiter));
    }
    let process = PROCESS
        .get_or_try_init(|| from_environment().map(|limiter| Process { limiter, built_by: Some(name) }))?;
    Ok(Current::Process(&process.limiter))
}

fn from_environment() -> Result<RateLimiter, Error> {
    let Some(url) = std::env::var_os(URL) else {
        tracing::warn!(
            "no limiter is installed and {URL} is not set: rate limits are kept in memory, for this process alone"
        );
        return Ok(RateLimiter::in_memory());
    };
    let url = url
        .into_string()
        .map_err(|_| Error::new(ErrorKind::Configuration, format!("{URL} is not Unicode")))?;
    let named = |error: Error| Error::new(error.kind(), format!("{URL}: {error}"));
    Ok(RateLimiter::builder().redis(url).assemble().map_err(named)?.0)
}

/// Makes `limiter` the one that attributes use in the whole process. Call it once, before the first limited call.
///
/// # Errors
///
/// If one is installed already, or a call has built the default one before.
pub fn install(limiter: RateLimiter) -> Result<(), InstallError> {
    PROCESS
        .set(Process { limiter, built_by: None })
        .map_err(|_| InstallError { built_by: PROCESS.get().and_then(|process| process.built_by) })
}

/// Why a limiter was not installed.
#[derive(Clone, Debug)]
pub struct InstallError {
    built_by: Option<&'static str>,
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.built_by {
            Some(name) => write!(
                f,
                "a call of the limit `{name}` has already built the default limiter: install yours before the first limited call"
            ),
            None => f.write_str(
                "a limiter is already installed: install one per process, or use `ratelimit::scope`",
            ),
        }
    }
}

impl std::error::Error for InstallError {}

/// Runs a future in which attributes use `limiter`: for tests, and for tenants with a store of their own.
///
/// It follows the future wherever it is polled, and does not follow [`tokio::spawn`]: carry it over with
/// [`scope::current`](current_scope).
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
    SCOPED.scope(limiter, future)
}

/// The limiter of the innermost [`scope`](crate::scope()) around this call, to carry it into a spawned task.
#[must_use]
pub fn current_scope() -> Option<RateLimiter> {
    SCOPED.try_with(RateLimiter::clone).ok()
}

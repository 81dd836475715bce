//! The limiter of an attribute without `limiter = ..`: the scoped one, else the installed one, else a default.

use super::RateLimiter;
#[cfg(feature = "rocket")]
use crate::by_task::ByTask;
use crate::error::{Error, ErrorKind};
use crate::proxies::Networks;
use crate::store::redis::RedisStore;
use once_cell::sync::OnceCell;
use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};

/// The environment variable that names the store of the default limiter.
pub(super) const URL: &str = "RATELIMIT_URL";
/// The environment variable that names the trusted proxies of the default limiter, separated by commas.
pub(super) const TRUSTED_PROXIES: &str = "RATELIMIT_TRUSTED_PROXIES";

/// The environment variable that names the prefix of limiters that set none.
pub(super) const PREFIX: &str = "RATELIMIT_PREFIX";

static PROCESS: OnceCell<Process> = OnceCell::new();

tokio::task_local! {
    static SCOPED: RateLimiter;
}

/// The limiters of the layers around the requests that rocket answers.
#[cfg(feature = "rocket")]
pub(crate) static OF_REQUESTS: ByTask<RateLimiter> = ByTask::new();

/// Whether there was ever a scope. Most programs have none, and their calls need not look for one.
static ANY_SCOPE: AtomicBool = AtomicBool::new(false);

struct Process {
    limiter: RateLimiter,
    /// The limit whose call built the default limiter. `None` if the limiter was installed.
    built_by: Option<&'static str>,
}

/// The limiter of one call.
#[derive(Clone)]
pub(crate) enum CurrentLimiter {
    Process(&'static RateLimiter),
    Own(RateLimiter),
}

impl Deref for CurrentLimiter {
    type Target = RateLimiter;

    #[inline]
    fn deref(&self) -> &RateLimiter {
        match self {
            Self::Process(limiter) => limiter,
            Self::Own(limiter) => limiter,
        }
    }
}

/// Returns the limiter for a call of the limit `name`.
///
/// # Errors
///
/// If no limiter is scoped or installed, and `RATELIMIT_URL`, `RATELIMIT_TRUSTED_PROXIES` or `RATELIMIT_OFF` is invalid. The next
/// call tries again.
#[inline]
pub(crate) fn current(name: &'static str) -> Result<CurrentLimiter, Error> {
    if let Some(limiter) = RateLimiter::scoped() {
        return Ok(CurrentLimiter::Own(limiter));
    }
    let process = PROCESS
        .get_or_try_init(|| from_environment().map(|limiter| Process { limiter, built_by: Some(name) }))?;
    Ok(CurrentLimiter::Process(&process.limiter))
}

fn from_environment() -> Result<RateLimiter, Error> {
    let (url, proxies) = (variable(URL)?, variable(TRUSTED_PROXIES)?);
    let in_memory = url.is_none();
    let limiter = default_limiter(url, proxies.as_deref())?;
    if in_memory {
        tracing::warn!(
            "no limiter is installed and {URL} is not set; rate limits are kept in memory and apply only to this process"
        );
    }
    Ok(limiter)
}

pub(super) fn variable(name: &str) -> Result<Option<String>, Error> {
    let not_text = |_| Error::new(ErrorKind::Configuration, format!("{name} is not valid UTF-8"));
    std::env::var_os(name).map(|value| value.into_string().map_err(not_text)).transpose()
}

/// The limiter for these values of [`URL`] and [`TRUSTED_PROXIES`].
fn default_limiter(url: Option<String>, proxies: Option<&str>) -> Result<RateLimiter, Error> {
    let with_variable = |name: &str, error: &Error| Error::new(error.kind(), format!("{name}: {error}"));
    let mut builder = RateLimiter::builder();
    if let Some(proxies) = proxies {
        let proxies: Vec<&str> = proxies.split(',').collect();
        Networks::parse(&proxies).map_err(|error| with_variable(TRUSTED_PROXIES, &error))?;
        builder = builder.trusted_proxies(proxies);
    }
    if let Some(url) = url {
        RedisStore::new(&url).map_err(|error| with_variable(URL, &error))?;
        builder = builder.redis(url);
    }
    builder.build()
}

/// Installs `limiter` as the limiter of all attributes in this process. Call it once, before the first limited call.
///
/// # Errors
///
/// If a limiter is already installed, or an earlier limited call has built the default limiter.
///
/// # Example
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use ratelimit::RateLimiter;
///
/// ratelimit::install(RateLimiter::in_memory())?; // or a limiter on Redis
/// assert!(ratelimit::install(RateLimiter::in_memory()).is_err());
/// # Ok(()) }
/// ```
pub fn install(limiter: RateLimiter) -> Result<(), InstallError> {
    PROCESS
        .set(Process { limiter, built_by: None })
        .map_err(|_| InstallError { built_by: PROCESS.get().and_then(|process| process.built_by) })
}

/// The error of [`install`]: a limiter is already installed, or the default limiter is in use.
#[derive(Clone)]
pub struct InstallError {
    built_by: Option<&'static str>,
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.built_by {
            Some(name) => write!(
                f,
                "the first call of the limit `{name}` has already built the default limiter; call `install` before any limited call"
            ),
            None => f.write_str(
                "a limiter is already installed; install one per process, or use `ratelimit::scope`",
            ),
        }
    }
}

impl fmt::Debug for InstallError {
    /// Shows the message, because a `main` that returns an error prints this.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for InstallError {}

/// Runs a future in which attributes use `limiter`. Use it for tests, and for tenants with their own store.
///
/// The scope applies wherever the future is polled. It does not apply to tasks that the future spawns with
/// [`tokio::spawn`]: pass the limiter to them with [`RateLimiter::scoped`].
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
    /// A future in the scope of a limiter, if there is one.
    #[project = InScopeProjection]
    pub(crate) enum InScope<F> {
        Scoped { #[pin] future: tokio::task::futures::TaskLocalFuture<RateLimiter, F> },
        Unscoped { #[pin] future: F },
    }
}

/// Runs a future in the scope of this limiter, if there is one.
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
    /// Returns the limiter of the innermost [`scope`] around this call, so that a spawned task can use it.
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

/// The limiter of the innermost scope.
pub(crate) fn scoped() -> Option<RateLimiter> {
    SCOPED.try_with(RateLimiter::clone).ok()
}

/// Runs a function in the scope of this limiter, if there is one.
pub(crate) fn sync_scope<R>(limiter: Option<&RateLimiter>, run: impl FnOnce() -> R) -> R {
    match limiter {
        Some(limiter) => {
            ANY_SCOPE.store(true, Ordering::Relaxed);
            SCOPED.sync_scope(limiter.clone(), run)
        }
        None => run(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::RequestHeaders;
    use std::net::IpAddr;

    struct From(&'static str);

    impl RequestHeaders for From {
        fn header(&self, name: &str) -> Option<&[u8]> {
            (name == "x-forwarded-for").then_some(self.0.as_bytes())
        }
    }

    #[test]
    fn the_environment_names_trusted_proxies() {
        let client = |proxies, peer: &str| {
            let peer: IpAddr = peer.parse().unwrap();
            default_limiter(None, proxies).unwrap().client_ip(peer, &From("203.0.113.7")).unwrap().to_string()
        };
        assert_eq!(client(None, "10.0.0.1"), "10.0.0.1");
        assert_eq!(client(Some("10.0.0.1"), "10.0.0.1"), "203.0.113.7");
        assert_eq!(client(Some("192.0.2.0/24, 10.0.0.0/8"), "10.0.0.1"), "203.0.113.7");
        assert_eq!(client(Some("192.0.2.0/24, unix"), "10.0.0.1"), "10.0.0.1");
    }

    #[test]
    fn errors_name_the_variable() {
        let error = |url: Option<&str>, proxies| {
            let error = default_limiter(url.map(str::to_owned), proxies).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Configuration);
            error.to_string()
        };
        for proxies in ["", "10.0.0.1,", "10.0.0.1;10.0.0.2", "0.0.0.0/0", "10.0.0.1/8"] {
            let said = error(None, Some(proxies));
            assert!(said.starts_with("RATELIMIT_TRUSTED_PROXIES: "), "{said}");
        }
        assert!(error(Some("http://localhost"), Some("10.0.0.1")).starts_with("RATELIMIT_URL: "));
    }
}

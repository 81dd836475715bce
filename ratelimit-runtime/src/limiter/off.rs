//! The store of a limiter whose limits are off. It admits every call.

use super::{RateLimiter, RateLimiterBuilder};
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::store::{Adjusted, Adjustment, Decisions, Mode, Reply, Request, Store, StoreKey};
use std::ffi::OsStr;
use std::time::Duration;

/// A store that admits every call and stores nothing.
pub(super) struct OffStore;

impl Store for OffStore {
    fn decide(&self, _: Mode, requests: &[&Request]) -> Reply<Decisions> {
        Reply::ready(Ok(requests.iter().map(|request| admitted(request)).collect()))
    }

    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        Reply::ready(Ok(adjustments.iter().map(|_| 0).collect()))
    }

    fn reset(&self, _: &[StoreKey]) -> Reply<u64> {
        Reply::ready(Ok(0))
    }

    fn save_override(&self, _: &StoreKey, _: &[u8], _: Option<&str>, _: Option<Duration>) -> Reply<()> {
        let message = "limits are off; the override was not saved";
        Reply::ready(Err(Error::new(ErrorKind::Configuration, message)))
    }
}

/// Admits a request, and reports that nothing of its limit is in use.
pub(super) fn admitted(request: &Request) -> Decision {
    Decision::allow(request.limit(), request.limit().capacity(), Duration::ZERO)
}

impl RateLimiter {
    /// Whether limits are off.
    pub(crate) fn is_off(&self) -> bool {
        self.shared.off
    }
}

/// The environment variable that turns limits off.
const OFF: &str = "RATELIMIT_OFF";

impl RateLimiterBuilder {
    /// Turns limits off, for load tests: the limiter decides nothing, and every call passes. The limiter connects to no server.
    /// [`build`](Self::build) logs at level `warn` that limits are off, and [`status`](crate::RateLimiter::status) reports it.
    ///
    /// The environment variable `RATELIMIT_OFF` does the same for every limiter that `build` returns, and for the default
    /// limiter. Its values are `1` and `true` (limits are off), and `0` and `false` (limits apply). `build` returns an error
    /// for any other value. [`RateLimiter::in_memory`](crate::RateLimiter::in_memory) does not read the variable, so the variable
    /// does not change tests that call it.
    ///
    /// Functions with the attribute run as if each limit had `skip_if = true`. [`check`](crate::RateLimiter::check) and the other
    /// methods admit every call at once, even if the call has no identity, the cost is above the limit or the limit is closed.
    /// Permits and charges hold nothing. [`peek`](crate::RateLimiter::peek) finds nothing in use. Overrides cannot be changed. A
    /// method that does not fit the limit, such as `check` for a concurrency limit, still returns an error.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use ratelimit::{Limit, RateLimiter};
    /// use std::time::Duration;
    ///
    /// let once = Limit::counter(1, Duration::from_secs(60));
    /// let limiter = RateLimiter::builder().redis("redis://127.0.0.1").off().connect().await?;
    /// for _ in 0..1000 {
    ///     limiter.check(&once, "job").await?;
    /// }
    /// # Ok(()) }
    /// ```
    pub fn off(mut self) -> Self {
        self.off = true;
        self
    }

    /// Turns limits off if the environment variable says so. If limits are off, logs why.
    ///
    /// # Errors
    ///
    /// If the variable has an unknown value.
    pub(super) fn off_by_environment(mut self) -> Result<Self, Error> {
        let variable = std::env::var_os(OFF);
        let by_variable = variable.as_deref().map_or(Ok(false), is_off)?;
        if by_variable {
            tracing::warn!("rate limits are off, because {OFF} is set: every call passes");
        } else if self.off {
            tracing::warn!(
                "rate limits are off, because the limiter is built with `off()`: every call passes"
            );
        }
        self.off |= by_variable;
        Ok(self)
    }
}

fn is_off(value: &OsStr) -> Result<bool, Error> {
    match value.to_str() {
        Some("1" | "true") => Ok(true),
        Some("0" | "false") => Ok(false),
        _ => Err(Error::new(
            ErrorKind::Configuration,
            format!(
                "unknown value of {OFF}; expected `1` or `true` (limits are off), or `0` or `false` (limits apply)"
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_value_is_neither_on_nor_off() {
        for (value, off) in [("1", true), ("true", true), ("0", false), ("false", false)] {
            assert_eq!(is_off(OsStr::new(value)).unwrap(), off, "{value}");
        }
        for value in ["", " 1", "on", "off", "yes", "no", "TRUE", "2"] {
            let error = is_off(OsStr::new(value)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Configuration, "{value}: {error}");
        }
    }
}

//! The store of a limiter whose limits are off. It admits every call.
//!
//! A limiter that is off skips attributes, as `skip_if` does, so only its methods ask this store.

use super::installed::variable;
use super::layers::admitted;
use super::{RateLimiter, RateLimiterBuilder};
use crate::error::{Error, ErrorKind, stray_end};
use crate::store::{Adjusted, Adjustment, Decisions, Mode, Reply, Request, Store, StoreKey};
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

impl RateLimiter {
    /// Whether limits are off.
    pub(crate) fn is_off(&self) -> bool {
        self.shared.off
    }
}

/// The environment variable that turns the limits of the default limiter off.
pub(super) const OFF: &str = "RATELIMIT_OFF";

impl RateLimiterBuilder {
    /// Turns limits off, for load tests: the limiter decides nothing, and every call passes. The limiter connects to no server.
    /// [`build`](Self::build) logs at level `warn` that limits are off, and [`status`](crate::RateLimiter::status) reports it.
    ///
    /// The environment variable `RATELIMIT_OFF` does the same for the default limiter, which reads its settings from the
    /// environment. It does not change a limiter that code has built, and `build` warns if the variable is set. Its values are
    /// `1` and `true` (limits are off), and `0` and `false` (limits apply). With any other value, the default limiter rejects all
    /// calls. To turn off a limiter by a variable of your own, call this method if the variable is set.
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

    /// Logs that limits are off, or that this builder does not read the environment variable that would turn them off.
    pub(super) fn report_off(&self) {
        if self.off {
            tracing::warn!(
                "rate limits are off, because the limiter is built with `off()`: every call passes"
            );
        } else if std::env::var_os(OFF).is_some() {
            tracing::warn!("a builder does not read {OFF}; the limits of this limiter apply");
        }
    }
}

/// Whether the environment turns the limits of the default limiter off.
///
/// # Errors
///
/// If the variable has an unknown value.
pub(super) fn is_off_by_environment() -> Result<bool, Error> {
    variable(OFF)?.map_or(Ok(false), |value| is_off(&value))
}

fn is_off(value: &str) -> Result<bool, Error> {
    match value {
        "1" | "true" => Ok(true),
        "0" | "false" => Ok(false),
        _ => {
            let stray = stray_end(value).map(|stray| format!("; {stray}")).unwrap_or_default();
            Err(Error::new(
                ErrorKind::Configuration,
                format!(
                    "unknown value of {OFF}; expected `1` or `true` (limits are off), or `0` or `false` (limits apply){stray}"
                ),
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_value_is_neither_on_nor_off() {
        for (value, off) in [("1", true), ("true", true), ("0", false), ("false", false)] {
            assert_eq!(is_off(value).unwrap(), off, "{value}");
        }
        for value in ["", " 1", "on", "off", "yes", "no", "TRUE", "2"] {
            let error = is_off(value).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Configuration, "{value}: {error}");
        }
        assert!(is_off("1\n").unwrap_err().to_string().ends_with("; it ends with a line break"));
    }
}

//! Lists the limits of attributes and layers that calls of this process have used.

use super::{KnownLimit, OnError, RateLimiter};
use crate::limit::Limit;
use crate::observe::registry::{self, First, Source};
use std::time::Duration;

impl RateLimiter {
    /// Returns the limits of attributes and layers that calls of this process have used so far, in the order of their names, with
    /// the overrides that this limiter knows. This method sends no request to the store.
    ///
    /// The list is the same for all limiters of the process: it includes the limits of calls that other limiters have decided. It
    /// has at most about 4000 limits. It does not have limits that no call has used; `cargo ratelimit list` reads all attributes
    /// from the sources. Calls of the methods of a limiter, such as [`check`](Self::check), are not listed.
    /// [`published_limits`](Self::published_limits) returns the limits of all processes.
    ///
    /// ```
    /// use ratelimit::overrides::LimitChange;
    /// use ratelimit::{RateLimiter, Rejection, rate_limit};
    ///
    /// #[rate_limit(key = "reports", time = 60, count = 5)]
    /// async fn report() -> Result<(), Rejection> { Ok(()) }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let limiter = RateLimiter::in_memory();
    /// ratelimit::scope(limiter.clone(), report()).await?;
    /// limiter.overrides().set("reports", LimitChange::new().count(2)).await?;
    ///
    /// let limits = limiter.limits();
    /// let reports = limits.iter().find(|met| met.name() == "reports").ok_or("not met")?;
    /// assert_eq!(reports.limit().to_string(), "counter count=2 time=1m");
    /// assert_eq!(reports.in_code().to_string(), "counter count=5 time=1m");
    /// # Ok(()) }
    /// ```
    pub fn limits(&self) -> Vec<KnownLimit> {
        let own = registry::met().map(|(name, first, varies)| KnownLimit {
            name: name.into(),
            in_code: first.limit,
            varies,
            overridden: self.shared.overrides.of_name(name, &first.limit),
            version: self.shared.service_version.clone(),
            age: Duration::ZERO,
        });
        let mut all: Vec<_> = own.collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    /// Returns the limit of this name if this limiter has decided its first call, and if all calls of this process had the same
    /// limit.
    pub(super) fn own_limit(&self, name: &str) -> Option<Limit> {
        let mut own = registry::met().filter(|(_, first, varies)| first.limiter == self.id() && !varies);
        own.find(|(met, ..)| *met == name).map(|(_, first, _)| first.limit)
    }

    /// Returns the names of limits whose first call this limiter has decided, and that reject their calls while the store is
    /// unavailable.
    pub(super) fn denying_limits(&self) -> Vec<&'static str> {
        let denying = registry::met().filter(|(_, first, _)| first.limiter == self.id() && first.denies);
        let mut names: Vec<_> = denying.map(|(name, ..)| name).collect();
        names.sort_unstable();
        names
    }
}

/// Registers the limit of a call in the registry, with the limiter and the failure policy of the call.
#[inline]
pub(crate) fn note(name: &'static str, limit: &Limit, limiter: &RateLimiter, source: Source) {
    registry::note(name, limit, source, || {
        let denies = limiter.on_error == OnError::Deny;
        First { limit: *limit, limiter: limiter.id(), denies, source }
    });
}

#[cfg(test)]
mod tests;

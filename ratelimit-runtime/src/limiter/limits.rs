//! `limits`: the limits of attributes and layers that calls of this process have met.

use super::{OnError, RateLimiter};
use crate::limit::{Limit, LimitChange};
use crate::observe::registry::{self, First};
use std::borrow::Cow;
use std::time::Duration;

/// A limit of an attribute or a layer that a call has met. [`RateLimiter::limits`] and [`RateLimiter::published_limits`] return it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownLimit {
    pub(super) name: Cow<'static, str>,
    pub(super) in_code: Limit,
    pub(super) varies: bool,
    pub(super) overridden: Option<(LimitChange, Limit)>,
    pub(super) version: Option<Box<str>>,
    pub(super) age: Duration,
}

impl KnownLimit {
    /// The name of the limit.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The limit in the code. If it is an expression, this is its value at the first call.
    pub const fn in_code(&self) -> &Limit {
        &self.in_code
    }

    /// Whether calls had different limits in the code, which an expression can give.
    pub const fn varies(&self) -> bool {
        self.varies
    }

    /// The limit in force: the limit in the code, with the override of its name applied. Overrides of single keys do not count.
    pub fn limit(&self) -> &Limit {
        self.overridden.as_ref().map_or(&self.in_code, |(_, limit)| limit)
    }

    /// The override of the name, if there is one that fits the limit.
    pub fn overridden(&self) -> Option<&LimitChange> {
        self.overridden.as_ref().map(|(change, _)| change)
    }

    /// The [version of the service](crate::RateLimiterBuilder::service_version) that has published the limit, if it has one.
    pub fn service_version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// The time since a process has published the limit, in whole seconds. It is zero for a limit of this process.
    pub const fn age(&self) -> Duration {
        self.age
    }
}

impl RateLimiter {
    /// Returns the limits of attributes and layers that calls of this process have met so far, in the order of their names, with
    /// the overrides that this limiter knows. It asks no store.
    ///
    /// The list is that of the process, also of calls that other limiters have decided. It has at most about 4000 limits. A limit
    /// that no call has met is not in it; `cargo ratelimit list` reads all attributes from the sources. Calls of the methods of a
    /// limiter, such as [`check`](Self::check), are not listed. [`published_limits`](Self::published_limits) returns the limits of
    /// all processes.
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

    /// The limit of this name that this limiter has decided, if all calls of this process had the same.
    pub(super) fn own_limit(&self, name: &str) -> Option<Limit> {
        let mut own = registry::met().filter(|(_, first, varies)| first.limiter == self.id() && !varies);
        own.find(|(met, ..)| *met == name).map(|(_, first, _)| first.limit)
    }

    /// The limits that this limiter has decided, and that reject their calls while the store is unavailable.
    pub(super) fn denying_limits(&self) -> Vec<&'static str> {
        let denying = registry::met().filter(|(_, first, _)| first.limiter == self.id() && first.denies);
        let mut names: Vec<_> = denying.map(|(name, ..)| name).collect();
        names.sort_unstable();
        names
    }
}

/// Remembers the limit of a call and its failure policy, if it is the first one with this name. Other calls are compared with it,
/// except those of the same site if its limit is a constant.
#[inline]
pub(crate) fn note(name: &'static str, limit: &Limit, limiter: &RateLimiter, is_constant: bool) {
    registry::note(name, limit, is_constant, || {
        let denies = limiter.on_error == OnError::Deny;
        First { name, limit: *limit, limiter: limiter.id(), denies }
    });
}

#[cfg(test)]
mod tests;

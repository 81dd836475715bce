//! `KnownLimit`: a limit that calls have met, with its override.

use crate::limit::{Limit, LimitChange};
use std::borrow::Cow;
use std::time::Duration;

/// A limit of an attribute or a layer that a call has met. [`RateLimiter::limits`](crate::RateLimiter::limits) and [`RateLimiter::published_limits`](crate::RateLimiter::published_limits) return it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownLimit {
    pub(in crate::limiter) name: Cow<'static, str>,
    pub(in crate::limiter) in_code: Limit,
    pub(in crate::limiter) varies: bool,
    pub(in crate::limiter) overridden: Option<(LimitChange, Limit)>,
    pub(in crate::limiter) version: Option<Box<str>>,
    pub(in crate::limiter) age: Duration,
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

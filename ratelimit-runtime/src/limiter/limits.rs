//! `limits`: the limits of attributes and layers that calls of this process have met.

use super::{OnError, RateLimiter};
use crate::limit::{Limit, LimitChange};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// The number of slots. More limits than this are not listed.
const SLOTS: usize = 4096;
/// The most slots to look at for one name.
const PROBES: usize = 16;

/// The limits that are known. The names are constants of the program, so their number is bounded, and a call recognizes its own
/// by the address of the text.
static MET: [OnceLock<Met>; SLOTS] = [const { OnceLock::new() }; SLOTS];
/// Grows when there is something new in the list.
static CHANGES: AtomicUsize = AtomicUsize::new(0);

struct Met {
    name: &'static str,
    /// The limit of the first call, its failure policy, and the id of its limiter.
    limit: Limit,
    on_error: OnError,
    limiter: u64,
    /// Whether another call had another limit.
    varies: AtomicBool,
}

/// A limit of an attribute or a layer that a call has met. [`RateLimiter::limits`] and [`RateLimiter::published_limits`] return it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetLimit {
    pub(super) name: Cow<'static, str>,
    pub(super) in_code: Limit,
    pub(super) varies: bool,
    pub(super) overridden: Option<(LimitChange, Limit)>,
    pub(super) version: Option<Box<str>>,
    pub(super) age: Duration,
}

impl MetLimit {
    /// The name of the limit.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The limit in the code. If it is an expression, this is its value at the first call.
    #[must_use]
    pub const fn in_code(&self) -> &Limit {
        &self.in_code
    }

    /// Whether calls had different limits in the code, which an expression can give.
    #[must_use]
    pub const fn varies(&self) -> bool {
        self.varies
    }

    /// The limit in force: the limit in the code, with the override of its name applied. Overrides of single keys do not count.
    #[must_use]
    pub fn limit(&self) -> &Limit {
        self.overridden.as_ref().map_or(&self.in_code, |(_, limit)| limit)
    }

    /// The override of the name, if there is one that fits the limit.
    #[must_use]
    pub fn overridden(&self) -> Option<&LimitChange> {
        self.overridden.as_ref().map(|(change, _)| change)
    }

    /// The [version of the service](crate::RateLimiterBuilder::service_version) that has published the limit, if it has one.
    #[must_use]
    pub fn service_version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// The time since a process has published the limit, in whole seconds. It is zero for a limit of this process.
    #[must_use]
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
    /// use ratelimit::{LimitChange, RateLimiter, Rejection, rate_limit};
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
    #[must_use]
    pub fn limits(&self) -> Vec<MetLimit> {
        let mut all = BTreeMap::new();
        for met in MET.iter().filter_map(OnceLock::get) {
            let limit = all.entry(met.name).or_insert_with(|| self.own(met));
            limit.varies |= met.varies.load(Ordering::Relaxed) || limit.in_code != met.limit;
        }
        all.into_values().collect()
    }

    /// The limits that this limiter has decided, and that reject their calls while the store is unavailable.
    pub(super) fn denying_limits(&self) -> Vec<&'static str> {
        let denies = |met: &&Met| met.limiter == self.id() && met.on_error == OnError::Deny;
        let names: BTreeSet<_> =
            MET.iter().filter_map(OnceLock::get).filter(denies).map(|met| met.name).collect();
        names.into_iter().collect()
    }

    fn own(&self, met: &Met) -> MetLimit {
        MetLimit {
            name: met.name.into(),
            in_code: met.limit,
            varies: false,
            overridden: self.shared.overrides.of_name(met.name, &met.limit),
            version: self.shared.service_version.clone(),
            age: Duration::ZERO,
        }
    }
}

/// A number that changes when [`RateLimiter::limits`] has something new. Zero: no call has met a limit.
pub(super) fn changes() -> usize {
    CHANGES.load(Ordering::Relaxed)
}

/// Remembers the limit of a call and its failure policy, if it is the first one with this name. A limit that is no constant is compared with that one.
#[inline]
pub(crate) fn note(name: &'static str, limit: &Limit, limiter: &RateLimiter, is_constant: bool) {
    // Two names can begin at one address, but then their lengths differ.
    let first = spread(name.as_ptr().addr() ^ name.len().rotate_right(16));
    for probe in 0..PROBES {
        let slot = &MET[first.wrapping_add(probe) % SLOTS];
        let met = slot.get().unwrap_or_else(|| insert(slot, name, limit, limiter));
        if std::ptr::eq(met.name, name) {
            if !is_constant && met.limit != *limit {
                met.vary();
            }
            return;
        }
    }
}

/// The slot at which the search for a name begins. Neighbouring addresses have slots far from each other.
const fn spread(known: usize) -> usize {
    // The golden ratio of 2^32, which every platform has.
    known.wrapping_mul(0x9E37_79B1) >> 11
}

/// Inserts a limit into a free slot. Returns the limit that is there now, which may be that of another name.
#[cold]
fn insert(
    slot: &'static OnceLock<Met>,
    name: &'static str,
    limit: &Limit,
    limiter: &RateLimiter,
) -> &'static Met {
    slot.get_or_init(|| {
        CHANGES.fetch_add(1, Ordering::Relaxed);
        let (on_error, limiter, varies) = (limiter.on_error, limiter.id(), AtomicBool::new(false));
        Met { name, limit: *limit, on_error, limiter, varies }
    })
}

impl Met {
    fn vary(&self) {
        // Read first, so that later calls do not write to one place in memory.
        if !self.varies.load(Ordering::Relaxed) && !self.varies.swap(true, Ordering::Relaxed) {
            CHANGES.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;

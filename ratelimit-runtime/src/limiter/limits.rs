//! `limits`: the limits of attributes and layers that calls of this process have met.

use super::{OnError, RateLimiter};
use crate::limit::{Limit, LimitChange};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The number of slots. More limits than this are not listed.
const SLOTS: usize = 4096;
/// The most slots to look at for one name.
const PROBES: usize = 16;

/// The names that are known, each by the address of its text. The texts are constants of the program, so their number is bounded,
/// and a call recognizes its own without reading it.
static KNOWN: [AtomicUsize; SLOTS] = [const { AtomicUsize::new(0) }; SLOTS];
/// Each name with its first call.
static MET: Mutex<BTreeMap<&'static str, FirstCall>> = Mutex::new(BTreeMap::new());

/// The first call of a limit.
#[derive(Clone, Copy)]
struct FirstCall {
    limit: Limit,
    on_error: OnError,
    /// The id of the limiter.
    limiter: u64,
}

/// A limit of an attribute or a layer that a call of this process has met. [`RateLimiter::limits`] returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetLimit {
    name: &'static str,
    in_code: Limit,
    overridden: Option<(LimitChange, Limit)>,
}

impl MetLimit {
    /// The name of the limit.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The limit in the code. If it is an expression, this is its value at the first call, and other calls may have others.
    #[must_use]
    pub const fn in_code(&self) -> &Limit {
        &self.in_code
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
}

impl RateLimiter {
    /// Returns the limits of attributes and layers that calls of this process have met so far, in the order of their names, with
    /// the overrides that this limiter knows. It asks no store.
    ///
    /// The list is that of the process, also of calls that other limiters have decided. It has at most about 4000 limits. A limit
    /// that no call has met is not in it; `cargo ratelimit list` reads all attributes from the sources. Calls of the methods of a
    /// limiter, such as [`check`](Self::check), are not listed.
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
        let met = MET.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let limits = met.into_iter().map(|(name, FirstCall { limit: in_code, .. })| {
            let overridden = self.shared.overrides.of_name(name, &in_code);
            MetLimit { name, in_code, overridden }
        });
        limits.collect()
    }

    /// The limits that this limiter has decided, and that reject their calls while the store is unavailable.
    pub(super) fn denying_limits(&self) -> Vec<&'static str> {
        let met = MET.lock().unwrap_or_else(PoisonError::into_inner);
        let denies = |call: &FirstCall| call.limiter == self.id() && call.on_error == OnError::Deny;
        met.iter().filter(|(_, call)| denies(call)).map(|(name, _)| *name).collect()
    }
}

/// Remembers the limit of a call and its failure policy, if it is the first one with this name.
pub(crate) fn note(name: &'static str, limit: &Limit, limiter: &RateLimiter) {
    // Two names can begin at one address, but then their lengths differ.
    let known = name.as_ptr().addr() ^ name.len().rotate_right(16);
    let first = spread(known);
    for probe in 0..PROBES {
        let slot = &KNOWN[first.wrapping_add(probe) % SLOTS];
        match slot.load(Ordering::Relaxed) {
            found if found == known => return,
            0 => {
                let call = FirstCall { limit: *limit, on_error: limiter.on_error, limiter: limiter.id() };
                return add(slot, known, name, call);
            }
            _ => {}
        }
    }
}

/// The slot at which the search for a name begins. Neighbouring addresses have slots far from each other.
const fn spread(known: usize) -> usize {
    // The golden ratio of 2^32, which every platform has.
    known.wrapping_mul(0x9E37_79B1) >> 11
}

#[cold]
fn add(slot: &AtomicUsize, known: usize, name: &'static str, call: FirstCall) {
    let mut met = MET.lock().unwrap_or_else(PoisonError::into_inner);
    met.entry(name).or_insert(call);
    // Another name may have taken the slot meanwhile. Then the next call looks for another one.
    let _ = slot.compare_exchange(0, known, Ordering::Relaxed, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_first_limit_of_a_name_is_remembered_once() {
        let limiter = RateLimiter::in_memory();
        let of = |name: &str| limiter.limits().into_iter().find(|met| met.name() == name);
        assert_eq!(of("met once"), None);
        for count in 1..=3 {
            note("met once", &Limit::counter(count, SECOND), &limiter);
        }
        let met = of("met once").unwrap();
        assert_eq!((*met.in_code(), *met.limit()), (Limit::counter(1, SECOND), Limit::counter(1, SECOND)));
        assert_eq!(met.overridden(), None);
    }

    #[test]
    fn names_at_one_address_are_two_names() {
        let (all, part) = ("met at one address", &"met at one address"[..6]);
        let limiter = RateLimiter::in_memory();
        note(all, &Limit::counter(1, SECOND), &limiter);
        note(part, &Limit::counter(2, SECOND), &limiter);
        let limits = limiter.limits();
        assert!([all, part].iter().all(|name| limits.iter().any(|met| met.name() == *name)));
    }

    #[test]
    fn the_limits_of_a_limiter_that_deny_are_known() {
        let [limiter, other] = [(); 2].map(|()| RateLimiter::in_memory());
        let denying = limiter.with_on_error(OnError::Deny);
        for (name, by) in
            [("met and open", &limiter), ("met and denying", &denying), ("met elsewhere", &other)]
        {
            note(name, &Limit::counter(1, SECOND), by);
        }
        assert_eq!(limiter.denying_limits(), ["met and denying"]);
        assert_eq!(denying.denying_limits(), ["met and denying"]);
        assert!(other.denying_limits().is_empty());
    }

    #[tokio::test]
    async fn an_override_that_fits_is_in_force() {
        let limiter = RateLimiter::in_memory();
        note("met and overridden", &Limit::counter(5, SECOND), &limiter);
        let of = || limiter.limits().into_iter().find(|met| met.name() == "met and overridden").unwrap();
        limiter.overrides().set("met and overridden", LimitChange::new().count(2)).await.unwrap();
        assert_eq!(*of().limit(), Limit::counter(2, SECOND));
        assert_eq!(of().overridden(), Some(&LimitChange::new().count(2)));
        limiter.overrides().set("met and overridden", LimitChange::new().burst(2)).await.unwrap();
        assert_eq!((*of().limit(), of().overridden()), (Limit::counter(5, SECOND), None));
        assert_eq!(
            *RateLimiter::in_memory()
                .limits()
                .iter()
                .find(|met| met.name() == "met and overridden")
                .unwrap()
                .limit(),
            Limit::counter(5, SECOND)
        );
    }
}

//! Logs outages of the store: one line when an outage begins, and one when it ends. An error that somebody must repair is logged
//! every minute in between.

use crate::error::Error;
use crate::observe::{Event, Hooks, Throttle, store_failed};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// Whether the store or one of its servers is unavailable. Times are milliseconds since `start`, plus 1.
pub(in crate::limiter) struct Outage {
    start: Instant,
    /// The time of the first failure. Zero: there is no outage. [`UNTRIED`]: no outage either, and the store has not decided yet.
    began_ms: AtomicU64,
    /// The time of the last failure.
    last_ms: AtomicU64,
    /// The lines about errors that somebody must repair.
    repairs: Throttle,
    /// Whether the store has decided at least once.
    has_decided: AtomicBool,
    hooks: Hooks,
}

/// The first value of `began_ms`, so that the first success is noticed without a further field that every success reads.
const UNTRIED: u64 = u64::MAX;

/// The time between two lines about an error that somebody must repair.
const BETWEEN_LINES: Duration = Duration::from_secs(60);

/// The first success after this time without a failure ends an outage. An earlier success does not end it: while one of several
/// servers is unavailable, the others still reply.
const WITHOUT_FAILURE: Duration = Duration::from_secs(1);

impl Outage {
    pub(in crate::limiter) fn new(hooks: Hooks) -> Self {
        Self {
            start: Instant::now(),
            began_ms: AtomicU64::new(UNTRIED),
            last_ms: AtomicU64::new(0),
            repairs: Throttle::default(),
            has_decided: AtomicBool::new(false),
            hooks,
        }
    }

    /// Notes an error of the store.
    pub(in crate::limiter) fn note(&self, error: &Error) {
        store_failed(error);
        if self.explains(error) {
            self.failed(error);
        }
    }

    /// Whether the failure policy applies to an error of the store. A wrong configuration must be seen, so it applies to no call
    /// until the store has decided once. From then on, the same error means that somebody has changed the server. Any other error
    /// is the fault of the caller.
    pub(in crate::limiter) fn explains(&self, error: &Error) -> bool {
        error.is_transient() || error.is_of_server() && self.has_decided()
    }

    /// Notes a failure to which the failure policy applies.
    pub(in crate::limiter) fn failed(&self, error: &Error) {
        let begins = self.begins();
        if !error.is_transient() {
            if self.repairs.due(BETWEEN_LINES).is_some() {
                tracing::error!(
                    target: "ratelimit::outage",
                    %error,
                    "the store refuses this process, and somebody must repair it; applying the failure policy of each limit"
                );
            }
        } else if begins {
            tracing::warn!(
                target: "ratelimit::outage",
                %error,
                "the store is unavailable; applying the failure policy of each limit"
            );
        }
        if begins {
            self.hooks.tell(Event::OutageBegan(error.clone()));
        }
    }

    /// Whether the store has decided at least once. From then on, any error of the store is an outage: the configuration was
    /// right, so somebody has changed the server.
    pub(in crate::limiter) fn has_decided(&self) -> bool {
        self.has_decided.load(Ordering::Relaxed)
    }

    #[inline]
    pub(in crate::limiter) fn succeeded(&self) {
        if self.began_ms.load(Ordering::Relaxed) != 0 {
            self.succeeded_after_failures();
        }
    }

    #[cold]
    fn succeeded_after_failures(&self) {
        self.has_decided.store(true, Ordering::Relaxed);
        let first = self.began_ms.compare_exchange(UNTRIED, 0, Ordering::Relaxed, Ordering::Relaxed);
        if first.is_err() {
            self.reachable();
        }
    }

    /// Notes that a probe has reached all servers, which decides about no call.
    pub(in crate::limiter) fn reachable(&self) {
        if self.began().is_some()
            && let Some(began) = self.ends()
        {
            tracing::info!(target: "ratelimit::outage", "the store is available again");
            self.hooks.tell(Event::OutageEnded(began.elapsed()));
        }
    }

    /// Notes a failure. Returns whether it begins an outage.
    fn begins(&self) -> bool {
        let now_ms = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(UNTRIED - 2) + 1;
        self.last_ms.store(now_ms, Ordering::Relaxed);
        let replaces = |before| {
            self.began_ms.compare_exchange(before, now_ms, Ordering::Relaxed, Ordering::Relaxed).is_ok()
        };
        replaces(0) || replaces(UNTRIED)
    }

    /// Notes a success. If it ends an outage, returns when the outage began.
    fn ends(&self) -> Option<Instant> {
        if self.is_recent() {
            return None;
        }
        self.repairs.reset();
        // If a probe ends the outage, the first decision is still to come and must be noticed.
        let healthy = if self.has_decided() { 0 } else { UNTRIED };
        self.moment(self.began_ms.swap(healthy, Ordering::Relaxed))
    }

    /// Returns when the outage began. `None` if there is no outage.
    pub(in crate::limiter) fn began(&self) -> Option<Instant> {
        self.moment(self.began_ms.load(Ordering::Relaxed))
    }

    /// Whether there is an outage, and a call has failed within the last second.
    pub(in crate::limiter) fn is_recent(&self) -> bool {
        let last = self.moment(self.last_ms.load(Ordering::Relaxed));
        self.began().is_some() && last.is_some_and(|last| last.elapsed() < WITHOUT_FAILURE)
    }

    fn moment(&self, ms: u64) -> Option<Instant> {
        ms.checked_sub(1).filter(|_| ms != UNTRIED).map(|ms| self.start + Duration::from_millis(ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_outage_of_one_server_among_others_begins_and_ends_once() {
        let outage = Outage::new(Hooks::default());
        assert!(outage.ends().is_none() && outage.begins());
        for _ in 0..100 {
            tokio::time::advance(WITHOUT_FAILURE / 2).await;
            assert!(outage.ends().is_none() && !outage.begins());
        }
        tokio::time::advance(WITHOUT_FAILURE).await;
        assert!(outage.began().is_some() && !outage.is_recent());
        assert!(outage.ends().is_some() && outage.ends().is_none() && outage.began().is_none());
        assert!(outage.begins() && outage.is_recent());
        assert_eq!(outage.began().map(|began| began.elapsed()), Some(Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_success_is_remembered_through_outages() {
        let outage = Outage::new(Hooks::default());
        outage.reachable();
        assert!(!outage.has_decided(), "a probe decides about no call");
        assert!(outage.begins() && !outage.has_decided());
        outage.succeeded();
        assert!(outage.has_decided() && outage.began().is_some(), "the outage has not ended");
        let untroubled = Outage::new(Hooks::default());
        untroubled.succeeded();
        assert!(untroubled.has_decided() && untroubled.began().is_none());
        let probed = Outage::new(Hooks::default());
        assert!(probed.begins());
        tokio::time::advance(WITHOUT_FAILURE).await;
        probed.reachable();
        assert!(probed.began().is_none() && !probed.has_decided(), "the probe has ended the outage");
        probed.succeeded();
        assert!(probed.has_decided() && probed.began().is_none() && probed.begins());
    }
}

//! Logs outages of the store: one line when an outage begins, and one when it ends.

use crate::error::Error;
use crate::observe::{Event, Hooks};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// Whether the store or one of its servers is unavailable. Times are milliseconds since `start`, plus 1.
pub(in crate::limiter) struct Outage {
    start: Instant,
    /// The time of the first failure. Zero: there is no outage.
    began_ms: AtomicU64,
    /// The time of the last failure.
    last_ms: AtomicU64,
    hooks: Hooks,
}

/// The first success after this time without a failure ends an outage. An earlier success does not end it: while one of several
/// servers is unavailable, the others still reply.
const WITHOUT_FAILURE: Duration = Duration::from_secs(1);

impl Outage {
    pub(super) fn new(hooks: Hooks) -> Self {
        Self { start: Instant::now(), began_ms: AtomicU64::new(0), last_ms: AtomicU64::new(0), hooks }
    }

    pub(in crate::limiter) fn failed(&self, error: &Error) {
        if self.begins() {
            tracing::warn!(
                target: "ratelimit::outage",
                %error,
                "the store is unavailable; applying the failure policy of each limit"
            );
            self.hooks.tell(Event::OutageBegan(error.clone()));
        }
    }

    #[inline]
    pub(in crate::limiter) fn succeeded(&self) {
        if self.began_ms.load(Ordering::Relaxed) != 0 {
            self.succeeded_after_failures();
        }
    }

    #[cold]
    fn succeeded_after_failures(&self) {
        if let Some(began) = self.ends() {
            tracing::info!(target: "ratelimit::outage", "the store is available again");
            self.hooks.tell(Event::OutageEnded(began.elapsed()));
        }
    }

    /// Notes a failure. Returns whether it begins an outage.
    fn begins(&self) -> bool {
        let now_ms = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX).saturating_add(1);
        self.last_ms.store(now_ms, Ordering::Relaxed);
        self.began_ms.compare_exchange(0, now_ms, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Notes a success. If it ends an outage, returns when the outage began.
    fn ends(&self) -> Option<Instant> {
        if self.is_recent() {
            return None;
        }
        self.moment(self.began_ms.swap(0, Ordering::Relaxed))
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
        ms.checked_sub(1).map(|ms| self.start + Duration::from_millis(ms))
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
}

//! Logs outages of the store: one line when an outage begins, and one when it ends.

use crate::error::Error;
use crate::observe::{Event, Hooks};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// Whether the store or one of its servers is unavailable.
pub(in crate::limiter) struct Outage {
    start: Instant,
    ongoing: AtomicBool,
    /// The time of the first failure, in milliseconds since `start`.
    began_ms: AtomicU64,
    /// The time of the last failure, in milliseconds since `start`.
    last_ms: AtomicU64,
    hooks: Hooks,
}

/// An outage ends when no call has failed for this time. A success alone does not end it: while one of several servers is
/// unavailable, the others still reply.
const WITHOUT_FAILURE: Duration = Duration::from_secs(1);

impl Outage {
    pub(super) fn new(hooks: Hooks) -> Self {
        let (ongoing, began_ms, last_ms) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
        Self { start: Instant::now(), ongoing, began_ms, last_ms, hooks }
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
        if self.ongoing.load(Ordering::Relaxed) {
            self.succeeded_after_failures();
        }
    }

    #[cold]
    fn succeeded_after_failures(&self) {
        if self.ends() {
            tracing::info!(target: "ratelimit::outage", "the store is available again");
            self.hooks.tell(Event::OutageEnded(self.lasted()));
        }
    }

    /// Notes a failure. Returns whether it begins an outage.
    fn begins(&self) -> bool {
        let now_ms = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_ms.store(now_ms, Ordering::Relaxed);
        let begins = !self.ongoing.swap(true, Ordering::Relaxed);
        if begins {
            self.began_ms.store(now_ms, Ordering::Relaxed);
        }
        begins
    }

    /// Notes a success. Returns whether it ends an outage.
    fn ends(&self) -> bool {
        self.ongoing.load(Ordering::Relaxed)
            && !self.is_recent()
            && self.ongoing.swap(false, Ordering::Relaxed)
    }

    /// The time since the last outage began.
    fn lasted(&self) -> Duration {
        self.start.elapsed().saturating_sub(Duration::from_millis(self.began_ms.load(Ordering::Relaxed)))
    }

    /// When the outage began, if there is one.
    pub(in crate::limiter) fn began(&self) -> Option<Instant> {
        let began = || self.start + Duration::from_millis(self.began_ms.load(Ordering::Relaxed));
        self.ongoing.load(Ordering::Relaxed).then(began)
    }

    /// Whether there is an outage, and a call has failed just now.
    pub(in crate::limiter) fn is_recent(&self) -> bool {
        let since_last = || {
            let last = Duration::from_millis(self.last_ms.load(Ordering::Relaxed));
            self.start.elapsed().saturating_sub(last)
        };
        self.ongoing.load(Ordering::Relaxed) && since_last() < WITHOUT_FAILURE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_outage_of_one_server_among_others_begins_and_ends_once() {
        let outage = Outage::new(Hooks::default());
        assert!(!outage.ends() && outage.begins());
        for _ in 0..100 {
            tokio::time::advance(WITHOUT_FAILURE / 2).await;
            assert!(!outage.ends() && !outage.begins());
        }
        tokio::time::advance(WITHOUT_FAILURE).await;
        assert!(outage.began().is_some() && !outage.is_recent());
        assert!(outage.ends() && !outage.ends() && outage.began().is_none());
        assert!(outage.begins() && outage.is_recent());
        assert_eq!(outage.began().map(|began| began.elapsed()), Some(Duration::ZERO));
    }
}

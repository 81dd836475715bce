//! What is said of an outage: one line when it begins, and one when it has ended.

use crate::error::Error;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// Whether the store is away, or one of its servers.
pub(super) struct Outage {
    start: Instant,
    lasts: AtomicBool,
    /// When something has failed last, in ms from the start.
    last_ms: AtomicU64,
}

/// An outage has ended when nothing has failed for so long. While one server of several is away, the others answer.
const CALM: Duration = Duration::from_secs(1);

impl Outage {
    pub(super) fn new() -> Self {
        Self { start: Instant::now(), lasts: AtomicBool::new(false), last_ms: AtomicU64::new(0) }
    }

    pub(super) fn failed(&self, error: &Error) {
        if self.begins() {
            tracing::warn!(%error, "the store is away: calls are decided by the failure policies of their limits");
        }
    }

    pub(super) fn answered(&self) {
        if self.ends() {
            tracing::info!("the store is back: limits are decided by it again");
        }
    }

    /// Something has failed; whether nothing had before.
    fn begins(&self) -> bool {
        let now_ms = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_ms.store(now_ms, Ordering::Relaxed);
        !self.lasts.swap(true, Ordering::Relaxed)
    }

    /// Something was answered; whether an outage is over with that.
    fn ends(&self) -> bool {
        let is_calm = || {
            let last = Duration::from_millis(self.last_ms.load(Ordering::Relaxed));
            self.start.elapsed().saturating_sub(last) >= CALM
        };
        self.lasts.load(Ordering::Relaxed) && is_calm() && self.lasts.swap(false, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_outage_of_one_server_among_others_begins_and_ends_once() {
        let outage = Outage::new();
        assert!(!outage.ends() && outage.begins());
        for _ in 0..100 {
            tokio::time::advance(CALM / 2).await;
            assert!(!outage.ends() && !outage.begins());
        }
        tokio::time::advance(CALM).await;
        assert!(outage.ends() && !outage.ends() && outage.begins());
    }
}

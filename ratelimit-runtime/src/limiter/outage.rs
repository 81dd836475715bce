//! What is said of an outage: one line when it begins, and one when it has ended.

use crate::error::Error;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

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
        self.last_ms.store(self.now_ms(), Ordering::Relaxed);
        if !self.lasts.swap(true, Ordering::Relaxed) {
            tracing::warn!(%error, "the store is away: calls are decided by the failure policies of their limits");
        }
    }

    pub(super) fn answered(&self) {
        let lasts = || self.lasts.load(Ordering::Relaxed);
        let is_calm = || {
            let last = Duration::from_millis(self.last_ms.load(Ordering::Relaxed));
            self.start.elapsed().saturating_sub(last) >= CALM
        };
        if lasts() && is_calm() && self.lasts.swap(false, Ordering::Relaxed) {
            tracing::info!("the store is back: limits are decided by it again");
        }
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

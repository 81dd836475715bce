//! Whether a connection still serves: not closed, and not silent.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A connection that has answered nothing for so long, while callers gave up, is given up too. A server that has lost its
/// power closes no connection.
pub(super) const PATIENCE: Duration = Duration::from_millis(500);

/// What is known of a connection.
#[derive(Default)]
pub(super) struct Health {
    closed: AtomicBool,
    /// Since when something is unanswered, and nothing was answered.
    silent_since: Mutex<Option<Instant>>,
}

impl Health {
    pub(super) fn is_open(&self) -> bool {
        !self.closed.load(Ordering::Acquire)
    }

    fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    fn silence(&self, change: impl FnOnce(&mut Option<Instant>)) {
        change(&mut self.silent_since.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// One call that waits for its answer.
pub(super) struct Patience {
    health: Arc<Health>,
    rewarded: bool,
}

impl Patience {
    pub(super) fn new(health: Arc<Health>) -> Self {
        health.silence(|since| *since = since.or_else(|| Some(Instant::now())));
        Self { health, rewarded: false }
    }

    pub(super) fn rewarded(mut self) {
        self.rewarded = true;
        self.health.silence(|since| *since = None);
    }
}

/// Dropped without an answer: the caller has given up.
impl Drop for Patience {
    fn drop(&mut self) {
        if !self.rewarded {
            let health = &self.health;
            health.silence(|since| match since {
                Some(since) if since.elapsed() > PATIENCE => health.close(),
                _ => {}
            });
        }
    }
}

/// Closes with the task that drives the connection.
pub(super) struct CloseOnDrop(pub(super) Arc<Health>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}

//! Whether a connection still serves: not closed, and not silent.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::task::AbortHandle;

/// A connection that has answered nothing for so long, while callers gave up, is given up too. A server that has lost its
/// power closes no connection.
pub(super) const PATIENCE: Duration = Duration::from_millis(500);

/// What is known of a connection.
#[derive(Default)]
pub(super) struct Health {
    closed: AtomicBool,
    fell_silent: AtomicBool,
    driver: OnceLock<AbortHandle>,
    /// Since when something is unanswered, and nothing was answered.
    silent_since: Mutex<Option<Instant>>,
}

impl Health {
    pub(super) fn is_open(&self) -> bool {
        !self.closed.load(Ordering::Acquire)
    }

    /// Whether it was given up though nobody had closed it.
    pub(super) fn fell_silent(&self) -> bool {
        self.fell_silent.load(Ordering::Acquire)
    }

    /// The task that drives the connection. It ends when the connection is given up, and so do all calls on it.
    pub(super) fn drives(&self, driver: AbortHandle) {
        let _ = self.driver.set(driver);
    }

    /// No further call goes this way; those that wait may still be answered.
    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    fn give_up(&self) {
        self.fell_silent.store(true, Ordering::Release);
        self.close();
        if let Some(driver) = self.driver.get() {
            driver.abort();
        }
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
                Some(since) if since.elapsed() > PATIENCE => health.give_up(),
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

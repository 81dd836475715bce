//! Whether a connection still serves: not closed, and not given up.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::task::AbortHandle;

/// A connection that answers nothing for so long, though it was asked for nothing but a sign of life, is given up. A server
/// that has lost its power closes no connection.
pub(crate) const PATIENCE: Duration = Duration::from_millis(500);

/// What is known of a connection.
#[derive(Default)]
pub(crate) struct Health {
    closed: AtomicBool,
    driver: OnceLock<AbortHandle>,
}

impl Health {
    pub(crate) fn is_open(&self) -> bool {
        !self.closed.load(Ordering::Acquire)
    }

    /// The task that drives the connection. It ends when the connection is given up, and so do all calls on it.
    pub(crate) fn drives(&self, driver: AbortHandle) {
        let _ = self.driver.set(driver);
    }

    /// No further call goes this way; those that wait may still be answered.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// No further call goes this way, and those that wait hear that it is lost.
    pub(crate) fn give_up(&self) {
        self.close();
        if let Some(driver) = self.driver.get() {
            driver.abort();
        }
    }
}

/// Closes with the task that drives the connection.
pub(crate) struct CloseOnDrop(pub(crate) Arc<Health>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}

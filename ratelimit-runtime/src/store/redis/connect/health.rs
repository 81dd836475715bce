//! Whether a connection can be used: it is open until it is closed or aborted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::task::AbortHandle;

/// A connection is aborted if it does not reply to a `PING` for this long. A server that has lost its power closes no
/// connection.
pub(crate) const UNRESPONSIVE_AFTER: Duration = Duration::from_millis(500);

/// The state of a connection that its clones share.
#[derive(Default)]
pub(crate) struct Health {
    closed: AtomicBool,
    io_task: OnceLock<AbortHandle>,
}

impl Health {
    pub(crate) fn is_open(&self) -> bool {
        !self.closed.load(Ordering::Acquire)
    }

    /// Sets the task that reads and writes the socket. [`abort`](Self::abort) ends it.
    pub(super) fn set_io_task(&self, task: AbortHandle) {
        let _ = self.io_task.set(task);
    }

    /// Sends no further call on the connection. Calls that wait for a reply may still receive it.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// Ends the connection. Calls that wait for a reply receive an error.
    pub(crate) fn abort(&self) {
        self.close();
        if let Some(task) = self.io_task.get() {
            task.abort();
        }
    }
}

/// Closes the connection when it is dropped. The I/O task owns it.
pub(super) struct CloseOnDrop(pub(super) Arc<Health>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}

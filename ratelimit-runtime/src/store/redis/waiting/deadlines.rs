//! The deadlines of calls in a queue, which its workers watch.

use std::task::Waker;
use tokio::time::Instant;

/// A call in a queue.
pub(crate) trait Queued {
    /// Returns how many units the call may take from a limit for which each unit is work for the server.
    fn units(&self) -> u32 {
        0
    }

    /// Returns whether the caller still waits.
    fn is_wanted(&self) -> bool;

    /// Returns the deadline, if a worker can watch it.
    fn deadline(&self) -> Option<Instant>;

    /// Notes whether a worker watches the deadline from now on. If the worker stops watching, returns the waker, so that the
    /// caller watches.
    fn set_watched(&self, watched: bool) -> Option<Waker>;

    /// Notes that the deadline has passed. Returns the waker of the caller, if it relies on the worker.
    fn set_overdue(&self) -> Option<Waker>;
}

/// Collects the wakers of the calls whose deadlines have passed. Returns the earliest of the other deadlines.
pub(super) fn wakers_of_overdue<'t, T: Queued + 't>(
    calls: impl Iterator<Item = &'t T>,
    now: Instant,
    overdue: &mut Vec<Waker>,
) -> Option<Instant> {
    let mut earliest = None;
    for call in calls {
        match call.deadline() {
            Some(deadline) if deadline <= now => overdue.extend(call.set_overdue()),
            deadline => earliest = earlier(earliest, deadline),
        }
    }
    earliest
}

/// Returns the earlier of two times.
pub(super) fn earlier(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

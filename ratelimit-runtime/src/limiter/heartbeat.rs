//! Tells whether a background task is still kept going, so that another runtime can take it over.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// The heartbeat of a task that a limiter needs once. At each beat the task says when the next one follows.
///
/// A task stops when its runtime is blocked, idle or shut down. The next call in any runtime that finds the task late
/// starts it in its own runtime; the late one ends at its next beat.
pub(crate) struct Heartbeat {
    start: Instant,
    /// In milliseconds from the start. Zero: there is no task.
    late_at_ms: AtomicU64,
    /// The number of the task that is in charge.
    task: AtomicU64,
}

/// How late a beat may be. Longer than a busy runtime needs to come back to a task.
const GRACE: Duration = Duration::from_millis(250);

impl Default for Heartbeat {
    fn default() -> Self {
        Self { start: Instant::now(), late_at_ms: AtomicU64::new(0), task: AtomicU64::new(0) }
    }
}

impl Heartbeat {
    /// Whether no task is in charge, or it is late.
    pub(crate) fn is_late(&self, now: Instant) -> bool {
        self.late_at_ms.load(Ordering::Relaxed) <= self.ms(now)
    }

    /// Puts the caller's task in charge if no other one is, or it is late. The first beat follows within `next`.
    pub(crate) fn take_over(&self, next: Duration) -> Option<u64> {
        let late_at_ms = self.late_at_ms.load(Ordering::Relaxed);
        if late_at_ms > self.ms(Instant::now()) {
            return None;
        }
        let promised = self.promised_ms(next);
        self.late_at_ms
            .compare_exchange(late_at_ms, promised, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
            .then(|| self.task.fetch_add(1, Ordering::AcqRel) + 1)
    }

    /// Whether no other task has taken over.
    pub(crate) fn is_in_charge(&self, task: u64) -> bool {
        self.task.load(Ordering::Acquire) == task
    }

    /// Says that the next beat follows within `next`. False if another task has taken over.
    pub(crate) fn beat(&self, task: u64, next: Duration) -> bool {
        let is_in_charge = self.is_in_charge(task);
        if is_in_charge {
            self.late_at_ms.store(self.promised_ms(next), Ordering::Release);
        }
        is_in_charge
    }

    /// The task has ended: the next call may start another. False if another task has taken over.
    pub(crate) fn stop(&self, task: u64) -> bool {
        let is_in_charge = self.is_in_charge(task);
        if is_in_charge {
            self.late_at_ms.store(0, Ordering::Release);
        }
        is_in_charge
    }

    /// The time after which a task that has promised a beat within `next` is late.
    fn promised_ms(&self, next: Duration) -> u64 {
        let next_ms = u64::try_from(next.saturating_add(GRACE).as_millis()).unwrap_or(u64::MAX);
        self.ms(Instant::now()).saturating_add(next_ms)
    }

    fn ms(&self, moment: Instant) -> u64 {
        u64::try_from(moment.saturating_duration_since(self.start).as_millis()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn one_task_is_in_charge_until_it_is_late() {
        let heart = Heartbeat::default();
        assert!(heart.is_late(Instant::now()));
        let first = heart.take_over(SECOND).unwrap();
        assert!(!heart.is_late(Instant::now()) && heart.take_over(SECOND).is_none());
        assert!(heart.is_late(Instant::now() + SECOND + GRACE));
        assert!(heart.beat(first, 5 * SECOND));
        assert!(!heart.is_late(Instant::now() + 4 * SECOND));
        assert!(heart.stop(first));
        let second = heart.take_over(SECOND).unwrap();
        assert!(!heart.beat(first, SECOND), "another one is in charge");
        assert!(!heart.stop(first));
        assert!(!heart.is_late(Instant::now()) && heart.beat(second, SECOND));
    }
}

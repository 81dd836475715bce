//! `SingleTask`: a background task that each limiter runs in one runtime. If the task is late, another runtime starts a new one.

use crate::clock::timer;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::time::Instant;

/// The state of the task. At each heartbeat, the task announces the time of its next heartbeat.
///
/// A task is late when its runtime is blocked, idle or shut down. The next call that finds the task late starts another task in
/// the runtime of that call. The late task ends when it next runs.
pub(crate) struct SingleTask {
    start: Instant,
    /// The time from which on the task is late, in milliseconds since `start`. Zero: there is no task.
    late_at_ms: AtomicU64,
    /// The number of the last task, which is in charge. Earlier tasks end.
    number: AtomicU64,
}

/// A heartbeat may come this much later than announced. It is longer than the delays of tasks in a busy runtime.
const GRACE: Duration = Duration::from_millis(250);

impl Default for SingleTask {
    fn default() -> Self {
        Self { start: Instant::now(), late_at_ms: AtomicU64::new(0), number: AtomicU64::new(0) }
    }
}

impl SingleTask {
    /// Whether a task has started and not ended. It may be late.
    pub(crate) fn is_started(&self) -> bool {
        self.late_at_ms.load(Ordering::Relaxed) != 0
    }

    /// Whether there is no task, or it is late.
    pub(crate) fn is_late(&self, now: Instant) -> bool {
        self.late_at_ms.load(Ordering::Relaxed) <= self.ms(now)
    }

    /// Starts the task in the current runtime, if there is no task or the task is late. The task must send its first heartbeat
    /// within `next`.
    pub(crate) fn start<O: Send + Sync + 'static, F: Future<Output = ()> + Send + 'static>(
        &self,
        owner: &Arc<O>,
        select: fn(&O) -> &Self,
        next: Duration,
        work: impl FnOnce(InCharge<O>) -> F,
    ) {
        // The lookup of the runtime comes last, because all threads share its handle.
        if self.is_late(Instant::now())
            && let Ok(runtime) = timer::runtime()
            && let Some(number) = self.take_over(next)
        {
            runtime.spawn(work(InCharge { owner: Arc::downgrade(owner), select, number }));
        }
    }

    fn take_over(&self, next: Duration) -> Option<u64> {
        let late_at_ms = self.late_at_ms.load(Ordering::Relaxed);
        if late_at_ms > self.ms(Instant::now()) {
            return None;
        }
        let promised = self.promised_ms(next);
        self.late_at_ms
            .compare_exchange(late_at_ms, promised, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
            .then(|| self.number.fetch_add(1, Ordering::AcqRel) + 1)
    }

    fn is_in_charge(&self, number: u64) -> bool {
        self.number.load(Ordering::Acquire) == number
    }

    fn beat(&self, number: u64, next: Duration) {
        if self.is_in_charge(number) {
            self.late_at_ms.store(self.promised_ms(next), Ordering::Release);
        }
    }

    fn stop(&self, number: u64) {
        if self.is_in_charge(number) {
            self.late_at_ms.store(0, Ordering::Release);
        }
    }

    /// Returns the time in ms from which on a task is late, if the task now promises a heartbeat within `next`.
    fn promised_ms(&self, next: Duration) -> u64 {
        let next_ms = u64::try_from(next.saturating_add(GRACE).as_millis()).unwrap_or(u64::MAX);
        self.ms(Instant::now()).saturating_add(next_ms)
    }

    fn ms(&self, moment: Instant) -> u64 {
        u64::try_from(moment.saturating_duration_since(self.start).as_millis()).unwrap_or(u64::MAX)
    }
}

/// Shows that a task of this owner is in charge. The task holds this value. When the value is dropped, which also happens when
/// the runtime shuts down, the next call may start another task.
pub(crate) struct InCharge<O> {
    owner: Weak<O>,
    /// Selects the state of this task among the fields of its owner.
    select: fn(&O) -> &SingleTask,
    number: u64,
}

impl<O> InCharge<O> {
    /// Returns the owner. `None` if it was dropped or another task is in charge; the task must then end.
    pub(crate) fn owner(&self) -> Option<Arc<O>> {
        self.owner.upgrade().filter(|owner| (self.select)(owner).is_in_charge(self.number))
    }

    /// Announces the next heartbeat within `next`.
    pub(crate) fn beat(&self, owner: &O, next: Duration) {
        (self.select)(owner).beat(self.number, next);
    }
}

impl<O> Drop for InCharge<O> {
    fn drop(&mut self) {
        if let Some(owner) = self.owner.upgrade() {
            (self.select)(&owner).stop(self.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn one_task_is_in_charge_until_it_is_late() {
        let task = SingleTask::default();
        assert!(task.is_late(Instant::now()) && !task.is_started());
        let first = task.take_over(SECOND).unwrap();
        assert!(!task.is_late(Instant::now()) && task.is_started() && task.take_over(SECOND).is_none());
        assert!(task.is_late(Instant::now() + SECOND + GRACE));
        task.beat(first, 5 * SECOND);
        assert!(!task.is_late(Instant::now() + 4 * SECOND));
        task.stop(first);
        let second = task.take_over(SECOND).unwrap();
        task.beat(first, 100 * SECOND);
        assert!(task.is_late(Instant::now() + SECOND + GRACE), "another task is in charge");
        task.stop(first);
        assert!(task.is_started() && task.is_in_charge(second) && !task.is_in_charge(first));
    }
}

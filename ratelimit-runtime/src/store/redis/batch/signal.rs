//! `Part`: a part of the task of a session, with a waker that says which part has something to do.
//!
//! The task writes to its own channel and replies to its own batches. With the waker of the runtime, each of these would schedule
//! the running task once more.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};

/// The task that its parts wake.
#[derive(Default)]
pub(super) struct Task {
    is_awake: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

impl Task {
    /// Notes that the task is being polled, and looks at its parts before it sleeps.
    pub(super) fn wakes_up(&self, context: &Context<'_>) {
        self.is_awake.store(true, Ordering::SeqCst);
        let mut waker = self.waker.lock();
        if !waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
            *waker = Some(context.waker().clone());
        }
    }

    /// Notes that the task sleeps from now on. The task must look at its parts after this, because a part that was woken before has
    /// not woken the task.
    pub(super) fn falls_asleep(&self) {
        self.is_awake.store(false, Ordering::SeqCst);
    }
}

pub(super) struct Part {
    signal: Arc<Signal>,
    waker: Waker,
}

impl Part {
    pub(super) fn of(task: &Arc<Task>) -> Self {
        let signal = Arc::new(Signal { is_set: AtomicBool::new(false), task: Arc::clone(task) });
        Self { waker: Waker::from(Arc::clone(&signal)), signal }
    }

    pub(super) fn context(&self) -> Context<'_> {
        Context::from_waker(&self.waker)
    }

    pub(super) fn wake(&self) {
        self.signal.wake_by_ref();
    }

    /// Returns whether the part was woken.
    pub(super) fn is_woken(&self) -> bool {
        self.signal.is_set.load(Ordering::SeqCst)
    }

    /// Returns whether the part was woken, and forgets it. The part must be polled after this, not before, so that nothing that
    /// happens meanwhile is lost.
    pub(super) fn take(&self) -> bool {
        self.is_woken() && self.signal.is_set.swap(false, Ordering::SeqCst)
    }
}

struct Signal {
    is_set: AtomicBool,
    task: Arc<Task>,
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // In this order: the task first falls asleep, and then looks whether a signal is set.
        self.is_set.store(true, Ordering::SeqCst);
        if !self.task.is_awake.load(Ordering::SeqCst)
            && let Some(waker) = &*self.task.waker.lock()
        {
            waker.wake_by_ref();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl Wake for Counting {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_part_wakes_the_task_only_while_it_sleeps() {
        let (task, woken) = (Arc::default(), Arc::new(Counting::default()));
        let (one, other) = (Part::of(&task), Part::of(&task));
        let waker = Waker::from(Arc::clone(&woken));
        let times = || woken.0.load(Ordering::Relaxed);

        task.wakes_up(&Context::from_waker(&waker));
        one.context().waker().wake_by_ref();
        task.falls_asleep();
        assert_eq!((times(), one.is_woken(), other.is_woken()), (0, true, false));
        assert!(one.take() && !one.take() && !other.take());

        other.context().waker().wake_by_ref();
        assert_eq!((times(), one.is_woken(), other.is_woken()), (1, false, true));
    }
}

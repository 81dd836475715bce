//! The queue of a session. Calls wait in it until the task of the session sends them.
//!
//! The task owns the [`Taker`]. If the `Taker` is dropped, the waiting calls are dropped too, which tells their callers that
//! nothing was sent. The task also watches the deadlines of all calls, so that the calls need no timers. So no call waits for a
//! task that nobody polls.

use super::call::{CallSender, PendingCall};
use super::parts::{Arc, Mutex, PoisonError, units};
use std::collections::VecDeque;
use std::task::Waker;
use std::time::Duration;
use tokio::time::Instant;

/// The bounds of a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// The maximum number of waiting calls.
    pub(crate) waiting: usize,
    /// The maximum number of calls in a batch.
    pub(crate) batch: usize,
    /// A batch with at least this many units of work takes no further call.
    pub(crate) units: u32,
    /// The maximum number of batches under way.
    pub(crate) under_way: usize,
    /// A further batch is sent if the last batch was sent at least this long ago. The server is then far away or slow.
    pub(crate) another_after: Duration,
}

/// What happens to a call that enters the queue.
pub(crate) enum Entered {
    /// The call waits. If there is a taker, the queue has no task, and the call must start one.
    Waits(Option<Taker>),
    /// The queue is full.
    Full,
}

/// A queue of calls.
pub(crate) struct Queue(Arc<Mutex<State>>);

struct State {
    bounds: Bounds,
    waiting: VecDeque<CallSender>,
    /// The earliest deadline of the waiting calls. It may be too early, because the call with this deadline may have left the
    /// queue.
    earliest: Option<Instant>,
    has_taker: bool,
    /// Wakes the task. `None` while the task is awake.
    asleep: Option<Waker>,
    /// The number of batches under way.
    under_way: usize,
    /// The time at which the task last took calls.
    last_batch: Option<Instant>,
    /// The time at which the sleeping task looks at the deadlines.
    look: Option<Instant>,
}

impl Queue {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self(Arc::new(Mutex::new(State {
            bounds,
            waiting: VecDeque::new(),
            earliest: None,
            has_taker: false,
            asleep: None,
            under_way: 0,
            last_batch: None,
            look: None,
        })))
    }

    /// Adds a call, and wakes the task if it must take calls or look at the deadlines earlier. `now` is called only if the task
    /// sleeps while a batch is under way.
    pub(crate) fn enter(&self, call: &Arc<PendingCall>, now: impl FnOnce() -> Instant) -> Entered {
        let (entered, woken) = with(&self.0, |state| {
            if state.waiting.len() >= state.bounds.waiting {
                return (Entered::Full, None);
            }
            state.waiting.push_back(CallSender::new(call));
            state.earliest = earlier(state.earliest, call.deadline);
            if !state.has_taker {
                state.has_taker = true;
                return (Entered::Waits(Some(Taker(Arc::clone(&self.0)))), None);
            }
            let looks_late =
                || call.deadline.is_some_and(|deadline| state.look.is_none_or(|look| deadline < look));
            let must_wake = state.asleep.is_some() && (state.may_take(now) || looks_late());
            (Entered::Waits(None), if must_wake { state.asleep.take() } else { None })
        });
        // Wakes outside of the lock, because the woken task takes the lock.
        woken.into_iter().for_each(Waker::wake);
        entered
    }

    /// Wakes the task.
    pub(crate) fn wake(&self) {
        let asleep = with(&self.0, |state| state.asleep.take());
        asleep.into_iter().for_each(Waker::wake);
    }
}

impl Drop for Queue {
    /// Wakes the task, which ends with its session.
    fn drop(&mut self) {
        self.wake();
    }
}

impl State {
    fn may_take(&self, now: impl FnOnce() -> Instant) -> bool {
        let Bounds { batch, under_way, another_after, .. } = self.bounds;
        let long_ago = |last| now().saturating_duration_since(last) >= another_after;
        match self.under_way {
            _ if self.waiting.is_empty() => false,
            0 => true,
            most if most >= under_way => false,
            number => self.waiting.len() >= batch * number || self.last_batch.is_some_and(long_ago),
        }
    }

    /// Takes a batch in order of arrival, and the calls in front of its end that are no longer wanted.
    fn take(&mut self) -> (Vec<CallSender>, Vec<CallSender>) {
        let Bounds { batch: most, units: most_units, .. } = self.bounds;
        let (mut batch, mut unwanted) = (Vec::with_capacity(self.waiting.len().min(most)), Vec::new());
        let mut work: u32 = 0;
        while batch.len() < most && work < most_units {
            match self.waiting.pop_front() {
                Some(call) if call.is_wanted() => {
                    work = work.saturating_add(units(&call.request));
                    batch.push(call);
                }
                Some(call) => unwanted.push(call),
                None => break,
            }
        }
        (batch, unwanted)
    }
}

/// Takes batches of waiting calls, and watches the deadlines of the calls that wait.
pub(crate) struct Taker(Arc<Mutex<State>>);

impl Taker {
    /// Takes the next batch if it may be sent now. `under_way` is the number of batches under way. Drops calls that are no longer
    /// wanted.
    ///
    /// An empty batch means that the task may sleep: the queue wakes it by `waker`. Then also returns the time at which the task
    /// must [`look`](Self::look) at the deadlines: at that of the waiting calls, or at `look`, if that is earlier.
    pub(crate) fn take(
        &mut self,
        under_way: usize,
        now: impl Fn() -> Instant,
        look: Option<Instant>,
        waker: &Waker,
    ) -> (Vec<CallSender>, Option<Instant>) {
        let (batch, unwanted, look) = with(&self.0, |state| {
            state.under_way = under_way;
            let (batch, unwanted) = if state.may_take(&now) { state.take() } else { Default::default() };
            if state.waiting.is_empty() {
                state.earliest = None;
            }
            if batch.is_empty() {
                state.look = earlier(look, state.earliest);
                state.asleep = Some(waker.clone());
            } else {
                state.last_batch = Some(now());
            }
            (batch, unwanted, state.look)
        });
        // Drops outside of the lock, because a dropped call wakes its caller.
        drop(unwanted);
        (batch, look)
    }

    /// Wakes the callers of waiting calls whose deadlines have passed.
    pub(crate) fn look(&mut self, now: Instant) {
        let mut overdue = Vec::new();
        with(&self.0, |state| {
            if state.earliest.is_some_and(|earliest| earliest <= now) {
                state.earliest = judge(&state.waiting, now, &mut overdue);
            }
        });
        // Wakes outside of the lock, because a woken caller may enter the queue again.
        overdue.into_iter().for_each(Waker::wake);
    }
}

impl Drop for Taker {
    fn drop(&mut self) {
        let left = with(&self.0, |state| {
            (state.has_taker, state.asleep, state.under_way) = (false, None, 0);
            (state.earliest, state.look) = (None, None);
            std::mem::take(&mut state.waiting)
        });
        // Drops outside of the lock, because a woken caller may enter the queue again.
        drop(left);
    }
}

/// Marks the calls whose deadlines have passed, and collects the wakers of their callers. Returns the earliest of the other
/// deadlines.
pub(crate) fn judge<'t>(
    calls: impl IntoIterator<Item = &'t CallSender>,
    now: Instant,
    overdue: &mut Vec<Waker>,
) -> Option<Instant> {
    let mut earliest = None;
    for call in calls {
        match call.deadline {
            Some(deadline) if deadline <= now => overdue.extend(call.set_overdue()),
            deadline => earliest = earlier(earliest, deadline),
        }
    }
    earliest
}

/// `None` counts as later than any time.
pub(crate) fn earlier(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

fn with<R>(state: &Mutex<State>, act: impl FnOnce(&mut State) -> R) -> R {
    act(&mut state.lock().unwrap_or_else(PoisonError::into_inner))
}

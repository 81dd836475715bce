//! The queue of a session: decides whether a call sends its request itself or waits for a worker.
//!
//! If nothing is under way, a call sends its request directly. Later calls wait for a worker, which sends many requests at
//! once. While calls wait, at least one task owns a [`Worker`]. If a `Worker` is dropped, the other workers take the waiting
//! calls. If it was the last worker, the waiting calls are dropped, which tells their callers that nothing was sent. So no call
//! waits for a worker that nobody polls.
//!
//! A worker also watches the deadlines of calls, so that the calls need no timers. While it waits for a reply, it
//! wakes at the earliest deadline of its batch and of the waiting calls. A call is watched if a worker wakes no later than
//! the deadline of the call. A worker that was never polled watches nothing.

use super::call::{CallSender, PendingCall};
use super::parts::{Arc, DeadlineWatch, Mutex, PoisonError, units};
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
    /// The maximum number of workers.
    pub(crate) workers: usize,
    /// A further worker starts if the last batch was sent at least this long ago. The server is then far away or slow.
    pub(crate) add_worker_after: Duration,
}

/// The next step of a call that enters the queue.
pub(crate) enum Entered {
    /// Nothing is under way. The call sends its request itself. It holds the guard until the reply has arrived.
    Direct(Direct),
    /// The call waits for a worker. If the variant contains a worker, the call must start it.
    Queued(Option<Worker>),
    /// The queue is full.
    Full,
}

/// A queue of calls. A clone is the same queue.
#[derive(Clone)]
pub(crate) struct Queue(Arc<Mutex<State>>);

struct State {
    bounds: Bounds,
    waiting: VecDeque<CallSender>,
    /// The earliest deadline of the watched calls that wait. It may be too early, because the call with this deadline may have
    /// left the queue.
    earliest: Option<Instant>,
    /// Whether a direct call is under way. The flag is cleared when the future of the direct call ends or is
    /// dropped, or when the last worker ends.
    direct: bool,
    /// The number of workers.
    running: usize,
    /// For each worker, the time at which it wakes to look at the deadlines. `None` if the worker does not run, or does not
    /// wait for a reply.
    looks: Vec<Option<Instant>>,
    /// The numbers of the workers that do not run.
    idle: Vec<usize>,
    /// The time at which a worker last took calls, or last started.
    last_batch: Option<Instant>,
}

impl Queue {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self(Arc::new(Mutex::new(State {
            bounds,
            waiting: VecDeque::new(),
            earliest: None,
            direct: false,
            running: 0,
            looks: vec![None; bounds.workers],
            idle: (0..bounds.workers).rev().collect(),
            last_batch: None,
        })))
    }

    /// Decides how a call continues. The clock is read only if a worker may have to start.
    pub(crate) fn enter(&self, call: &Arc<PendingCall>, now: impl FnOnce() -> Instant) -> Entered {
        self.with(|state| {
            if !state.direct && state.running == 0 {
                state.direct = true;
                return Entered::Direct(Direct(self.clone()));
            }
            if state.waiting.len() >= state.bounds.waiting {
                return Entered::Full;
            }
            state.push(CallSender::new(call));
            let worker = state.start_worker(now);
            Entered::Queued(worker.map(|number| Worker { queue: self.clone(), number, finished: false }))
        })
    }

    fn with<R>(&self, act: impl FnOnce(&mut State) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl State {
    fn push(&mut self, call: CallSender) {
        let is_watched = |deadline: &Instant| self.looks.iter().flatten().any(|look| look <= deadline);
        let watched = call.deadline.filter(is_watched);
        call.set_watched(watched.is_some());
        self.earliest = earlier(self.earliest, watched);
        self.waiting.push_back(call);
    }

    /// Starts a worker if one is needed. Returns the number of the new worker, or `None` if no worker was started.
    fn start_worker(&mut self, now: impl FnOnce() -> Instant) -> Option<usize> {
        let bounds = &self.bounds;
        if self.running >= bounds.workers {
            return None;
        }
        let now = now();
        let long_ago = |last| now.saturating_duration_since(last) >= bounds.add_worker_after;
        let needed = self.running == 0
            || self.waiting.len() >= bounds.batch * self.running
            || self.last_batch.is_some_and(long_ago);
        if !needed {
            return None;
        }
        self.last_batch = Some(now);
        self.running += 1;
        self.idle.pop()
    }

    fn stop_worker(&mut self, number: usize) {
        self.running -= 1;
        self.looks[number] = None;
        self.idle.push(number);
    }

    /// Sets and returns the time at which a worker looks at the deadlines of its batch and of the waiting calls. `earliest` is
    /// the earliest deadline of the batch.
    fn set_look(&mut self, number: usize, earliest: Option<Instant>) -> Option<Instant> {
        let look = earlier(earliest, self.earliest);
        self.looks[number] = look;
        look
    }
}

/// Marks a direct call as under way until it is dropped.
pub(crate) struct Direct(Queue);

impl Drop for Direct {
    fn drop(&mut self) {
        self.0.with(|state| state.direct = false);
    }
}

/// Takes batches of waiting calls until none is left, and watches deadlines.
pub(crate) struct Worker {
    queue: Queue,
    number: usize,
    finished: bool,
}

impl Worker {
    /// Takes the next batch in order of arrival, and drops calls that are no longer wanted. An empty batch ends the worker.
    /// Also returns the time at which to [`look`](Self::look) at the deadlines if the reply has not arrived by then.
    pub(crate) fn take(&mut self, now: Instant) -> (Vec<CallSender>, Option<Instant>) {
        let (batch, unwanted, look) = self.queue.with(|state| {
            let most = state.bounds.batch;
            let (mut batch, mut unwanted) = (Vec::with_capacity(state.waiting.len().min(most)), Vec::new());
            let mut work: u32 = 0;
            while batch.len() < most && work < state.bounds.units {
                match state.waiting.pop_front() {
                    Some(call) if call.is_wanted() => {
                        work = work.saturating_add(units(&call.request));
                        batch.push(call);
                    }
                    Some(call) => unwanted.push(call),
                    None => break,
                }
            }
            state.last_batch = Some(now);
            if state.waiting.is_empty() || state.earliest.is_some_and(|earliest| earliest <= now) {
                state.earliest = earliest_of(&state.waiting, now);
            }
            let mut look = None;
            if batch.is_empty() {
                state.stop_worker(self.number);
                // A direct call that is under way is older than this worker. The caller of that direct call may never be polled
                // again, so the worker clears the flag in its place.
                state.direct &= state.running > 0;
            } else {
                look = state.set_look(self.number, earliest_of(&batch, now));
            }
            (batch, unwanted, look)
        });
        self.finished |= batch.is_empty();
        drop(unwanted);
        (batch, look)
    }

    /// Looks at the deadlines at this time, although some of them are earlier.
    pub(crate) fn postpone(&mut self, look: Instant) {
        self.queue.with(|state| state.looks[self.number] = Some(look));
    }

    /// Wakes the callers of `batch` and of the queue whose deadlines have passed. Returns the time at which to look again.
    pub(crate) fn look<'t>(
        &mut self,
        batch: impl Iterator<Item = &'t CallSender>,
        now: Instant,
    ) -> Option<Instant> {
        let mut overdue = Vec::new();
        let earliest = wakers_of_overdue(batch, now, &mut overdue);
        let look = self.queue.with(|state| {
            if state.earliest.is_some_and(|earliest| earliest <= now) {
                state.earliest = wakers_of_overdue(state.waiting.iter(), now, &mut overdue);
            }
            state.set_look(self.number, earliest)
        });
        // Wakes outside of the lock, because a woken caller may enter the queue again.
        overdue.into_iter().for_each(Waker::wake);
        look
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        let (left, unwatched) = self.queue.with(|state| {
            state.stop_worker(self.number);
            if state.running == 0 {
                state.earliest = None;
                return (std::mem::take(&mut state.waiting), Vec::new());
            }
            // The other workers may wake too late for these calls, so the callers watch their own
            // deadlines.
            (VecDeque::new(), state.waiting.iter().filter_map(|call| call.set_watched(false)).collect())
        });
        // Wakes outside of the lock, because a woken caller may enter the queue again.
        unwatched.into_iter().for_each(Waker::wake);
        drop(left);
    }
}

/// Collects the wakers of the calls whose deadlines have passed. Returns the earliest of the other deadlines.
fn wakers_of_overdue<'t>(
    calls: impl Iterator<Item = &'t CallSender>,
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

/// Returns the earliest deadline that a worker must look at. A deadline that has passed and that no worker watches was judged
/// before. A look at it would seem late, as if the runtime had been stalled.
fn earliest_of<'t>(calls: impl IntoIterator<Item = &'t CallSender>, now: Instant) -> Option<Instant> {
    let is_due = |call: &&CallSender| matches!(call.watch(), DeadlineWatch::Watched);
    let due = |call: &'t CallSender| call.deadline.filter(|deadline| *deadline >= now || is_due(&call));
    calls.into_iter().filter_map(due).min()
}

/// Returns the earlier of two times. `None` counts as later than any time.
fn earlier(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

//! The queue of a session: decides whether a call sends its request itself or waits for a worker.
//!
//! If nothing is under way, a call sends its request directly. Later calls wait for a worker, which sends many at once.
//! While calls wait, at least one task owns a [`Worker`]. If a `Worker` is dropped, the others take its calls. If it was the
//! last, the waiting calls are dropped, which tells their callers that nothing was sent. So no call waits for a future that
//! nobody polls.

use super::sync::{Arc, Mutex, PoisonError};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The bounds of a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// The maximum number of waiting calls.
    pub(crate) waiting: usize,
    /// The maximum number of calls in a batch.
    pub(crate) batch: usize,
    /// The maximum number of workers.
    pub(crate) workers: usize,
    /// A further worker starts if the last batch was sent at least this long ago. The server is then far away or slow.
    pub(crate) add_worker_after: Duration,
}

/// How a call continues.
pub(crate) enum Entered<T> {
    /// Nothing is under way. The call sends its request itself, and holds the guard meanwhile.
    Direct(Direct<T>),
    /// The call waits for a worker. If it receives a worker, it must start it.
    Queued(Option<Worker<T>>),
    /// The maximum number of calls already wait.
    Full,
}

/// A queue of calls. A clone is the same queue.
pub(crate) struct Queue<T>(Arc<Inner<T>>);

struct Inner<T> {
    bounds: Bounds,
    state: Mutex<State<T>>,
}

struct State<T> {
    waiting: VecDeque<T>,
    /// Whether a direct call is under way. Stays set until its future has ended or was dropped, or the last worker ends.
    direct: bool,
    workers: usize,
    /// The time at which a worker last took calls, or last started.
    last_batch: Option<Instant>,
}

impl<T> Queue<T> {
    pub(crate) fn new(bounds: Bounds) -> Self {
        let state = State { waiting: VecDeque::new(), direct: false, workers: 0, last_batch: None };
        Self(Arc::new(Inner { bounds, state: Mutex::new(state) }))
    }

    /// Decides how a call continues. `item` is created only if the call waits, and the clock is read only if a worker may
    /// have to start.
    pub(crate) fn enter(&self, item: impl FnOnce() -> T, now: impl FnOnce() -> Instant) -> Entered<T> {
        let bounds = self.0.bounds;
        self.with(|state| {
            if !state.direct && state.workers == 0 {
                state.direct = true;
                return Entered::Direct(Direct(self.clone()));
            }
            if state.waiting.len() >= bounds.waiting {
                return Entered::Full;
            }
            state.waiting.push_back(item());
            let starts = state.needs_worker(&bounds, now);
            state.workers += usize::from(starts);
            Entered::Queued(starts.then(|| Worker { queue: self.clone(), finished: false }))
        })
    }

    fn with<R>(&self, act: impl FnOnce(&mut State<T>) -> R) -> R {
        act(&mut self.0.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T> State<T> {
    fn needs_worker(&mut self, bounds: &Bounds, now: impl FnOnce() -> Instant) -> bool {
        if self.workers >= bounds.workers {
            return false;
        }
        let now = now();
        let long_ago = |last| now.saturating_duration_since(last) >= bounds.add_worker_after;
        let needed = self.workers == 0
            || self.waiting.len() >= bounds.batch * self.workers
            || self.last_batch.is_some_and(long_ago);
        if needed {
            self.last_batch = Some(now);
        }
        needed
    }
}

impl<T> Clone for Queue<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Marks a direct call as under way until it is dropped.
pub(crate) struct Direct<T>(Queue<T>);

impl<T> Drop for Direct<T> {
    fn drop(&mut self) {
        self.0.with(|state| state.direct = false);
    }
}

/// Takes batches of waiting calls until none is left.
pub(crate) struct Worker<T> {
    queue: Queue<T>,
    finished: bool,
}

impl<T> Worker<T> {
    /// Takes the next batch in order of arrival, and drops calls that are no longer wanted. An empty batch ends the worker.
    pub(crate) fn take(&mut self, is_wanted: impl Fn(&T) -> bool, now: Instant) -> Vec<T> {
        let most = self.queue.0.bounds.batch;
        let (batch, unwanted, finished) = self.queue.with(|state| {
            let (mut batch, mut unwanted) = (Vec::with_capacity(state.waiting.len().min(most)), Vec::new());
            while batch.len() < most {
                match state.waiting.pop_front() {
                    Some(item) if is_wanted(&item) => batch.push(item),
                    Some(item) => unwanted.push(item),
                    None => break,
                }
            }
            state.last_batch = Some(now);
            let finished = batch.is_empty();
            if finished {
                state.workers -= 1;
                // Any direct call is older than this worker. Its caller may never be polled again, so do not wait for it to
                // clear the flag.
                state.direct &= state.workers > 0;
            }
            (batch, unwanted, finished)
        });
        self.finished |= finished;
        drop(unwanted);
        batch
    }
}

impl<T> Drop for Worker<T> {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        let left = self.queue.with(|state| {
            state.workers -= 1;
            if state.workers == 0 { std::mem::take(&mut state.waiting) } else { VecDeque::new() }
        });
        // Outside of the lock, because a caller that is told may enter the queue again.
        drop(left);
    }
}

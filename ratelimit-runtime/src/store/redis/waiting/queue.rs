//! Who sends: a call that finds nothing under way sends itself; others wait for a driver, which takes many at once.
//!
//! What holds at any time: while something waits there is a driver, and a driver is a value that somebody owns. When it is
//! dropped before it has found nothing left, another driver goes on, or all that waits is dropped with it. So nothing
//! waits for a future that nobody polls.

use super::sync::{Arc, Mutex, PoisonError};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The bounds of what waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// So many may wait; there is no room for more.
    pub(crate) waiting: usize,
    /// So many go at once.
    pub(crate) batch: usize,
    /// So many drivers at most.
    pub(crate) drivers: usize,
    /// A further driver starts when the last batch has left so long ago. The way to the server is long, then.
    pub(crate) pause: Duration,
}

/// How a call goes on.
pub(crate) enum Entered<T> {
    /// Nothing is under way: it sends itself.
    Alone(Alone<T>),
    /// It waits for a driver: for one that is there already, or for this one.
    Waits(Option<Driver<T>>),
    /// There is no room.
    Full,
}

/// Where calls meet. Clones are the same gate.
pub(crate) struct Gate<T>(Arc<Inner<T>>);

struct Inner<T> {
    bounds: Bounds,
    state: Mutex<State<T>>,
}

struct State<T> {
    waiting: VecDeque<T>,
    /// One is under way by itself. Only a hint: it may be answered, and not have been polled since.
    alone: bool,
    drivers: usize,
    /// When the last batch has left.
    left: Option<Instant>,
}

impl<T> Gate<T> {
    pub(crate) fn new(bounds: Bounds) -> Self {
        let state = State { waiting: VecDeque::new(), alone: false, drivers: 0, left: None };
        Self(Arc::new(Inner { bounds, state: Mutex::new(state) }))
    }

    /// Says who sends what comes now, which is made where it has to wait.
    pub(crate) fn enter(&self, item: impl FnOnce() -> T, now: impl FnOnce() -> Instant) -> Entered<T> {
        let bounds = self.0.bounds;
        self.with(|state| {
            if !state.alone && state.drivers == 0 {
                state.alone = true;
                return Entered::Alone(Alone(self.clone()));
            }
            if state.waiting.len() >= bounds.waiting {
                return Entered::Full;
            }
            state.waiting.push_back(item());
            let starts = state.wants_driver(&bounds, now);
            state.drivers += usize::from(starts);
            Entered::Waits(starts.then(|| Driver { gate: self.clone(), ended: false }))
        })
    }

    fn with<R>(&self, act: impl FnOnce(&mut State<T>) -> R) -> R {
        act(&mut self.0.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T> State<T> {
    fn wants_driver(&mut self, bounds: &Bounds, now: impl FnOnce() -> Instant) -> bool {
        // The usual answer needs no clock.
        if self.drivers >= bounds.drivers {
            return false;
        }
        let now = now();
        let far = |left| now.saturating_duration_since(left) >= bounds.pause;
        let wants = self.drivers == 0
            || self.waiting.len() >= bounds.batch * self.drivers
            || self.left.is_some_and(far);
        if wants {
            self.left = Some(now);
        }
        wants
    }
}

impl<T> Clone for Gate<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// One call under way by itself, until this is dropped.
pub(crate) struct Alone<T>(Gate<T>);

impl<T> Drop for Alone<T> {
    fn drop(&mut self) {
        self.0.with(|state| state.alone = false);
    }
}

/// The duty to take what waits until nothing is left.
pub(crate) struct Driver<T> {
    gate: Gate<T>,
    ended: bool,
}

impl<T> Driver<T> {
    /// The next batch, in order of arrival; what is not wanted any more is left out. If there is none, the duty is done.
    pub(crate) fn take(&mut self, is_wanted: impl Fn(&T) -> bool, now: Instant) -> Vec<T> {
        let most = self.gate.0.bounds.batch;
        let (batch, gone, ended) = self.gate.with(|state| {
            let (mut batch, mut gone) = (Vec::with_capacity(state.waiting.len().min(most)), Vec::new());
            while batch.len() < most {
                match state.waiting.pop_front() {
                    Some(item) if is_wanted(&item) => batch.push(item),
                    Some(item) => gone.push(item),
                    None => break,
                }
            }
            state.left = Some(now);
            let ended = batch.is_empty();
            if ended {
                state.drivers -= 1;
                // What was alone when the driver began was answered before the driver's last batch.
                state.alone &= state.drivers > 0;
            }
            (batch, gone, ended)
        });
        self.ended |= ended;
        drop(gone);
        batch
    }
}

impl<T> Drop for Driver<T> {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let orphans = self.gate.with(|state| {
            state.drivers -= 1;
            if state.drivers == 0 { std::mem::take(&mut state.waiting) } else { VecDeque::new() }
        });
        // Outside of the lock: whoever hears of it may come back.
        drop(orphans);
    }
}

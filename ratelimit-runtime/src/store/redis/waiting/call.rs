//! A pending call: a request and the place for its reply, shared by the caller and the sender.

use super::parts::{Arc, AtomicU8, DeadlineWatch, Mode, Mutex, MutexGuard, PoisonError, Reply, Request};
use std::ops::Deref;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};
use tokio::time::Instant;

/// A call that waits for its reply.
pub(crate) struct PendingCall {
    pub(crate) mode: Mode,
    pub(crate) request: Request,
    /// The deadline, if the call has one. A worker can watch it.
    pub(crate) deadline: Option<Instant>,
    /// Who watches the deadline: a [`DeadlineWatch`] as a number.
    watch: AtomicU8,
    state: Mutex<State>,
}

const UNWATCHED: u8 = 0;
const WATCHED: u8 = 1;
const OVERDUE: u8 = 2;

enum State {
    Waiting(Option<Waker>),
    Done(CallOutcome),
}

/// The outcome of a call.
pub(crate) enum CallOutcome {
    Replied(Reply),
    /// The request was not sent, so the caller may send it itself.
    NotSent,
}

impl PendingCall {
    pub(crate) fn new(mode: Mode, request: Request) -> Arc<Self> {
        let (watch, state) = (AtomicU8::new(UNWATCHED), Mutex::new(State::Waiting(None)));
        Arc::new(Self { mode, request, deadline: None, watch, state })
    }

    /// Sets the waker of the caller. This is possible only before the call is shared.
    pub(crate) fn set_waker(&mut self, waker: &Waker) {
        *self.state.get_mut().unwrap_or_else(PoisonError::into_inner) = State::Waiting(Some(waker.clone()));
    }

    /// Takes the outcome of the call. If the outcome has not arrived, stores the waker of the caller, which is woken when it
    /// arrives.
    pub(crate) fn poll(&self, context: &mut Context<'_>) -> Poll<CallOutcome> {
        let mut state = self.lock();
        match &mut *state {
            State::Waiting(Some(waker)) if waker.will_wake(context.waker()) => Poll::Pending,
            State::Waiting(waker) => {
                *waker = Some(context.waker().clone());
                Poll::Pending
            }
            State::Done(_) => match std::mem::replace(&mut *state, State::Waiting(None)) {
                State::Done(outcome) => Poll::Ready(outcome),
                State::Waiting(_) => Poll::Pending,
            },
        }
    }

    /// Returns who watches the deadline.
    pub(crate) fn watch(&self) -> DeadlineWatch {
        match self.watch.load(Ordering::Acquire) {
            WATCHED => DeadlineWatch::Watched,
            OVERDUE => DeadlineWatch::Overdue,
            _ => DeadlineWatch::Unwatched,
        }
    }

    // The following functions set `watch` before they take the waker, and a caller stores a new waker before it reads `watch`.
    // So no wake-up is missed.

    /// Notes whether a worker watches the deadline from now on. If the worker stops watching, returns the waker of the caller,
    /// because the caller must then watch the deadline itself.
    pub(super) fn set_watched(&self, watched: bool) -> Option<Waker> {
        let before = self.watch.swap(if watched { WATCHED } else { UNWATCHED }, Ordering::AcqRel);
        if before == WATCHED && !watched { self.take_waker() } else { None }
    }

    /// Notes that the deadline has passed. Returns the waker of the caller, if a worker has watched the deadline for it.
    pub(super) fn set_overdue(&self) -> Option<Waker> {
        let was_watched = self.watch.compare_exchange(WATCHED, OVERDUE, Ordering::AcqRel, Ordering::Relaxed);
        was_watched.ok().and_then(|_| self.take_waker())
    }

    /// Takes the waker of a caller that waits. When the caller is polled again, it stores a new waker.
    fn take_waker(&self) -> Option<Waker> {
        match &mut *self.lock() {
            State::Waiting(waker) => waker.take(),
            State::Done(_) => None,
        }
    }

    fn finish(&self, outcome: CallOutcome) {
        let before = std::mem::replace(&mut *self.lock(), State::Done(outcome));
        // Wakes outside of the lock, because the woken caller takes the lock.
        if let State::Waiting(Some(waker)) = before {
            waker.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The sender's side of a call. If it is dropped without a reply, the caller receives [`CallOutcome::NotSent`].
pub(crate) struct CallSender {
    call: Arc<PendingCall>,
    has_replied: bool,
}

impl CallSender {
    pub(crate) fn new(call: &Arc<PendingCall>) -> Self {
        Self { call: Arc::clone(call), has_replied: false }
    }

    /// Returns whether the caller still waits.
    pub(crate) fn is_wanted(&self) -> bool {
        Arc::strong_count(&self.call) > 1
    }

    pub(crate) fn reply(mut self, reply: Reply) {
        self.has_replied = true;
        self.call.finish(CallOutcome::Replied(reply));
    }
}

impl Deref for CallSender {
    type Target = PendingCall;

    fn deref(&self) -> &PendingCall {
        &self.call
    }
}

impl Drop for CallSender {
    fn drop(&mut self) {
        if !self.has_replied {
            self.call.finish(CallOutcome::NotSent);
        }
    }
}

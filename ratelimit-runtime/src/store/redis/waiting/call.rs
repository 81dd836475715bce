//! A pending call: a request and the place for its reply, shared by the caller and the sender.

use super::parts::{Arc, AtomicBool, Mode, Mutex, MutexGuard, PoisonError, Reply, Request};
use std::ops::Deref;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};
use tokio::time::Instant;

/// A call that waits for its reply.
pub(crate) struct PendingCall {
    pub(crate) mode: Mode,
    pub(crate) request: Request,
    /// The deadline, if the call has one. The task of the session watches it.
    pub(crate) deadline: Option<Instant>,
    is_overdue: AtomicBool,
    state: Mutex<State>,
}

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
        let (is_overdue, state) = (AtomicBool::new(false), Mutex::new(State::Waiting(None)));
        Arc::new(Self { mode, request, deadline: None, is_overdue, state })
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

    pub(crate) fn is_overdue(&self) -> bool {
        self.is_overdue.load(Ordering::Acquire)
    }

    /// Notes that the deadline has passed. Returns the waker of the caller the first time, if the caller waits. When the caller is
    /// polled again, it stores a new waker.
    pub(super) fn set_overdue(&self) -> Option<Waker> {
        // A caller stores a new waker before it asks whether its call is overdue. So no wake-up is missed.
        if self.is_overdue.swap(true, Ordering::AcqRel) {
            return None;
        }
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

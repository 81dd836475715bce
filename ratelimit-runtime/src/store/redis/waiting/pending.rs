//! A pending call: a request and the place for its reply, shared by the caller and the sender.

use super::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// An item, such as a request, and its reply as soon as there is one.
pub(crate) struct Pending<I, R> {
    item: I,
    state: Mutex<State<R>>,
}

enum State<R> {
    Waiting(Option<Waker>),
    Done(CallOutcome<R>),
}

/// What became of the call.
pub(crate) enum CallOutcome<R> {
    Replied(R),
    /// The item was not sent, so the caller may send it itself.
    NotSent,
}

impl<I, R> Pending<I, R> {
    pub(crate) fn new(item: I) -> Arc<Self> {
        Arc::new(Self { item, state: Mutex::new(State::Waiting(None)) })
    }

    pub(crate) fn item(&self) -> &I {
        &self.item
    }

    fn finish(&self, outcome: CallOutcome<R>) {
        let before = std::mem::replace(&mut *self.lock(), State::Done(outcome));
        // Outside of the lock, because the woken caller takes the lock.
        if let State::Waiting(Some(waker)) = before {
            waker.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The caller's side: a future of the outcome.
pub(crate) struct Receiver<'p, I, R>(pub(crate) &'p Arc<Pending<I, R>>);

impl<I, R> Future for Receiver<'_, I, R> {
    type Output = CallOutcome<R>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<CallOutcome<R>> {
        let mut state = self.0.lock();
        match std::mem::replace(&mut *state, State::Waiting(None)) {
            State::Done(outcome) => Poll::Ready(outcome),
            State::Waiting(waker) => {
                let same = waker.filter(|waker| waker.will_wake(context.waker()));
                *state = State::Waiting(Some(same.unwrap_or_else(|| context.waker().clone())));
                Poll::Pending
            }
        }
    }
}

/// The sender's side. If it is dropped without a reply, the caller receives [`CallOutcome::NotSent`].
pub(crate) struct Sender<I, R>(Option<Arc<Pending<I, R>>>);

impl<I, R> Sender<I, R> {
    pub(crate) fn new(pending: &Arc<Pending<I, R>>) -> Self {
        Self(Some(Arc::clone(pending)))
    }

    /// Returns whether the caller still waits.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.as_ref().is_some_and(|pending| Arc::strong_count(pending) > 1)
    }

    pub(crate) fn item(&self) -> Option<&I> {
        self.0.as_deref().map(Pending::item)
    }

    pub(crate) fn reply(mut self, reply: R) {
        if let Some(pending) = self.0.take() {
            pending.finish(CallOutcome::Replied(reply));
        }
    }
}

impl<I, R> Drop for Sender<I, R> {
    fn drop(&mut self) {
        if let Some(pending) = self.0.take() {
            pending.finish(CallOutcome::NotSent);
        }
    }
}

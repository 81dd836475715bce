//! A pending call: a request and the place for its reply, shared by the caller and the sender.

use super::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// An item, such as a request, and its reply as soon as there is one.
pub(crate) struct Pending<Q, A> {
    item: Q,
    state: Mutex<State<A>>,
}

enum State<A> {
    Waiting(Option<Waker>),
    Done(CallOutcome<A>),
}

/// What became of the call.
pub(crate) enum CallOutcome<A> {
    Replied(A),
    /// The item was not sent, so the caller may send it itself.
    NotSent,
}

impl<Q, A> Pending<Q, A> {
    pub(crate) fn new(item: Q) -> Arc<Self> {
        Arc::new(Self { item, state: Mutex::new(State::Waiting(None)) })
    }

    pub(crate) fn item(&self) -> &Q {
        &self.item
    }

    fn finish(&self, outcome: CallOutcome<A>) {
        let before = std::mem::replace(&mut *self.lock(), State::Done(outcome));
        // Outside of the lock, because the woken caller takes the lock.
        if let State::Waiting(Some(waker)) = before {
            waker.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<A>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The caller's side: a future of the outcome.
pub(crate) struct Receiver<'p, Q, A>(pub(crate) &'p Arc<Pending<Q, A>>);

impl<Q, A> Future for Receiver<'_, Q, A> {
    type Output = CallOutcome<A>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<CallOutcome<A>> {
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
pub(crate) struct Sender<Q, A>(Option<Arc<Pending<Q, A>>>);

impl<Q, A> Sender<Q, A> {
    pub(crate) fn new(pending: &Arc<Pending<Q, A>>) -> Self {
        Self(Some(Arc::clone(pending)))
    }

    /// Returns whether the caller still waits.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.as_ref().is_some_and(|pending| Arc::strong_count(pending) > 1)
    }

    pub(crate) fn item(&self) -> Option<&Q> {
        self.0.as_deref().map(Pending::item)
    }

    pub(crate) fn reply(mut self, reply: A) {
        if let Some(pending) = self.0.take() {
            pending.finish(CallOutcome::Replied(reply));
        }
    }
}

impl<Q, A> Drop for Sender<Q, A> {
    fn drop(&mut self) {
        if let Some(pending) = self.0.take() {
            pending.finish(CallOutcome::NotSent);
        }
    }
}

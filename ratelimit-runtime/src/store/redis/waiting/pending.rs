//! A pending call: a request and the place for its reply, shared by the caller and the sender.

use super::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// An item, such as a request, and its reply as soon as there is one.
pub(crate) struct PendingItem<I, R> {
    item: I,
    state: Mutex<State<R>>,
}

enum State<R> {
    Waiting(Option<Waker>),
    Done(CallOutcome<R>),
}

/// The end of the call.
pub(crate) enum CallOutcome<R> {
    Replied(R),
    /// The item was not sent, so the caller may send it itself.
    NotSent,
}

impl<I, R> PendingItem<I, R> {
    pub(crate) fn new(item: I) -> Arc<Self> {
        Arc::new(Self { item, state: Mutex::new(State::Waiting(None)) })
    }

    pub(crate) fn item(&self) -> &I {
        &self.item
    }

    /// Returns the item before the call is shared.
    pub(crate) fn item_mut(&mut self) -> &mut I {
        &mut self.item
    }

    /// Gives the waker of the caller before the call is shared.
    pub(crate) fn set_waker(&mut self, waker: &Waker) {
        *self.state.get_mut().unwrap_or_else(PoisonError::into_inner) = State::Waiting(Some(waker.clone()));
    }

    /// Returns the outcome, once. Until then, the caller is woken as soon as there is one.
    pub(crate) fn poll(&self, context: &mut Context<'_>) -> Poll<CallOutcome<R>> {
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

    /// Takes the waker of a caller that waits. The caller gives a new one when it is polled again.
    fn take_waker(&self) -> Option<Waker> {
        match &mut *self.lock() {
            State::Waiting(waker) => waker.take(),
            State::Done(_) => None,
        }
    }

    fn finish(&self, outcome: CallOutcome<R>) {
        let before = std::mem::replace(&mut *self.lock(), State::Done(outcome));
        // Wakes outside of the lock, because the woken caller takes the lock.
        if let State::Waiting(Some(waker)) = before {
            waker.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The sender's side. If it is dropped without a reply, the caller receives [`CallOutcome::NotSent`].
pub(crate) struct Sender<I, R>(Option<Arc<PendingItem<I, R>>>);

impl<I, R> Sender<I, R> {
    pub(crate) fn new(pending: &Arc<PendingItem<I, R>>) -> Self {
        Self(Some(Arc::clone(pending)))
    }

    /// Returns whether the caller still waits.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.as_ref().is_some_and(|pending| Arc::strong_count(pending) > 1)
    }

    pub(crate) fn item(&self) -> Option<&I> {
        self.0.as_deref().map(PendingItem::item)
    }

    /// Takes the waker of a caller that waits. See [`PendingItem::take_waker`].
    pub(crate) fn take_waker(&self) -> Option<Waker> {
        self.0.as_deref().and_then(PendingItem::take_waker)
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

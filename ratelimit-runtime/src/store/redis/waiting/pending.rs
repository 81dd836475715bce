//! A question and its answer, in one place that the caller who waits shares with whoever sends.

use super::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// Where a call waits.
pub(crate) struct Seat<Q, A> {
    question: Q,
    state: Mutex<State<A>>,
}

enum State<A> {
    Waiting(Option<Waker>),
    Answered(Answer<A>),
}

/// What a caller hears.
pub(crate) enum Answer<A> {
    Decided(A),
    /// It was not sent.
    Yourself,
}

impl<Q, A> Seat<Q, A> {
    pub(crate) fn new(question: Q) -> Arc<Self> {
        Arc::new(Self { question, state: Mutex::new(State::Waiting(None)) })
    }

    pub(crate) fn question(&self) -> &Q {
        &self.question
    }

    fn answer(&self, answer: Answer<A>) {
        let before = std::mem::replace(&mut *self.lock(), State::Answered(answer));
        // Outside of the lock: whoever is woken may come at once.
        if let State::Waiting(Some(waker)) = before {
            waker.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<A>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The caller's side: ready when there is an answer.
pub(crate) struct Caller<'s, Q, A>(pub(crate) &'s Arc<Seat<Q, A>>);

impl<Q, A> Future for Caller<'_, Q, A> {
    type Output = Answer<A>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer<A>> {
        let mut state = self.0.lock();
        match std::mem::replace(&mut *state, State::Waiting(None)) {
            State::Answered(answer) => Poll::Ready(answer),
            State::Waiting(waker) => {
                let known = waker.filter(|waker| waker.will_wake(context.waker()));
                *state = State::Waiting(Some(known.unwrap_or_else(|| context.waker().clone())));
                Poll::Pending
            }
        }
    }
}

/// The sender's side. Dropped without an answer, the caller hears that it was not sent.
pub(crate) struct Waiting<Q, A>(Option<Arc<Seat<Q, A>>>);

impl<Q, A> Waiting<Q, A> {
    pub(crate) fn new(seat: &Arc<Seat<Q, A>>) -> Self {
        Self(Some(Arc::clone(seat)))
    }

    /// Whether the caller is still there.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.as_ref().is_some_and(|seat| Arc::strong_count(seat) > 1)
    }

    pub(crate) fn question(&self) -> Option<&Q> {
        self.0.as_deref().map(Seat::question)
    }

    pub(crate) fn answer(mut self, answer: A) {
        if let Some(seat) = self.0.take() {
            seat.answer(Answer::Decided(answer));
        }
    }
}

impl<Q, A> Drop for Waiting<Q, A> {
    fn drop(&mut self) {
        if let Some(seat) = self.0.take() {
            seat.answer(Answer::Yourself);
        }
    }
}

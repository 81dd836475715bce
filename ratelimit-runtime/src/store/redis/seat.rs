//! A request and its answer, in one place that the caller who waits shares with whoever sends.

use crate::decision::Decision;
use crate::error::Error;
use crate::store::{Mode, OwnedRequest, Request};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// Where a call waits.
pub(super) struct Seat {
    mode: Mode,
    request: OwnedRequest,
    state: Mutex<State>,
}

enum State {
    Waiting(Option<Waker>),
    Answered(Answer),
}

/// What a caller hears.
pub(super) enum Answer {
    Decided(Result<Decision, Error>),
    /// It was not sent.
    Yourself,
}

impl Seat {
    pub(super) fn new(mode: Mode, request: &Request<'_>) -> Arc<Self> {
        Arc::new(Self { mode, request: OwnedRequest::of(request), state: Mutex::new(State::Waiting(None)) })
    }

    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    pub(super) fn request(&self) -> Request<'_> {
        self.request.request()
    }

    fn answer(&self, answer: Answer) {
        let before = std::mem::replace(&mut *self.lock(), State::Answered(answer));
        // Outside of the lock: whoever is woken may come at once.
        if let State::Waiting(Some(waker)) = before {
            waker.wake();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The caller's side: ready when there is an answer.
pub(super) struct Caller<'s>(pub(super) &'s Arc<Seat>);

impl Future for Caller<'_> {
    type Output = Answer;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
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
pub(super) struct Waiting(Option<Arc<Seat>>);

impl Waiting {
    pub(super) fn new(seat: &Arc<Seat>) -> Self {
        Self(Some(Arc::clone(seat)))
    }

    /// Whether the caller is still there.
    pub(super) fn is_wanted(&self) -> bool {
        self.0.as_ref().is_some_and(|seat| Arc::strong_count(seat) > 1)
    }

    pub(super) fn seat(&self) -> Option<&Seat> {
        self.0.as_deref()
    }

    pub(super) fn answer(mut self, answer: Result<Decision, Error>) {
        if let Some(seat) = self.0.take() {
            seat.answer(Answer::Decided(answer));
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(seat) = self.0.take() {
            seat.answer(Answer::Yourself);
        }
    }
}

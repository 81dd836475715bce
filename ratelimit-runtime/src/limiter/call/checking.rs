//! `Checking`, the future of a check, and `Admitted`, its result. Nearly every check of a store in this process ends at its first poll, so the future has only
//! what this poll needs.

use super::attempt::rejected;
use crate::coop::poll_yield;
use crate::decision::{Decision, PackedDecision, Unstamped};
use crate::error::Error;
use crate::key::{AsKey, Name};
use crate::limit::Limit;
use crate::limiter::RateLimiter;
use crate::rejection::Rejection;
use crate::store::cost::Cost;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// A call that its limit has admitted.
///
/// [`check`](RateLimiter::check) and [`acquire`](RateLimiter::acquire) return it. A refused call has no `Admitted`, but a
/// [`Rejection`]. Dropping this value does not return the units.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Admitted(Unstamped);

impl Admitted {
    /// Returns the decision that admitted the call. It has the number of units that remain, and the time until nothing of the
    /// limit is in use.
    pub const fn decision(&self) -> Decision {
        self.0.decision()
    }

    #[inline]
    pub(super) const fn new(decision: Decision) -> Self {
        Self(decision.unstamped())
    }
}

impl fmt::Debug for Admitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Admitted").field(&self.decision()).finish()
    }
}

/// A check, by its arguments.
pub(super) struct Check<'s, 'l, K> {
    pub(super) limiter: &'s RateLimiter,
    pub(super) limit: &'l Limit,
    pub(super) key: K,
    pub(super) cost: Cost,
}

/// The future of a check. `L` begins the long way, whose future is `F`: for a store that must be awaited.
pub(super) struct Checking<'s, 'l, K, L, F> {
    state: State<'s, 'l, K, F>,
    long_way: L,
}

enum State<'s, 'l, K, F> {
    First(Check<'s, 'l, K>),
    Later(Pin<Box<F>>),
    /// Lets other tasks run before it returns the rejection.
    Yields(Box<Rejection>),
    Ended,
}

impl<'s, 'l, K, L, F> Checking<'s, 'l, K, L, F> {
    #[inline]
    pub(super) const fn new(check: Check<'s, 'l, K>, long_way: L) -> Self {
        Self { state: State::First(check), long_way }
    }
}

// No field is pinned: the future of the long way is in a box.
impl<K, L, F> Unpin for Checking<'_, '_, K, L, F> {}

impl<'s, 'l, K, L, F> Future for Checking<'s, 'l, K, L, F>
where
    K: AsKey,
    L: Fn(Check<'s, 'l, K>) -> F,
    F: Future<Output = Result<Admitted, Rejection>>,
{
    type Output = F::Output;

    #[expect(clippy::inline_always, reason = "nearly every check ends here")]
    #[inline(always)]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let State::First(check) = &self.state {
            match check.at_once() {
                Some(Ok(decision)) if decision.is_allowed() => {
                    return Poll::Ready(Ok(Admitted::new(decision.decision(check.limit))));
                }
                Some(ended) => return self.refuse(ended, context),
                None => {}
            }
        }
        self.poll_later(context)
    }
}

impl<K: AsKey> Check<'_, '_, K> {
    #[expect(clippy::inline_always, reason = "its result is read at once")]
    #[inline(always)]
    fn at_once(&self) -> Option<Result<PackedDecision, Error>> {
        self.limiter.check_at_once(self.limit, &self.key, self.cost)
    }
}

impl<'s, 'l, K, L, F> Checking<'s, 'l, K, L, F>
where
    K: AsKey,
    L: Fn(Check<'s, 'l, K>) -> F,
    F: Future<Output = Result<Admitted, Rejection>>,
{
    /// Rejects the call, and lets other tasks run if it is time.
    #[cold]
    #[inline(never)]
    fn refuse(&mut self, ended: Result<PackedDecision, Error>, context: &mut Context<'_>) -> Poll<F::Output> {
        let State::First(check) = &self.state else { return Poll::Pending };
        let ended = ended.map(|decision| decision.decision(check.limit));
        let rejection = rejected(Name::new(check.key.name()), ended);
        if poll_yield(context).is_ready() {
            return Poll::Ready(Err(rejection));
        }
        self.state = State::Yields(Box::new(rejection));
        Poll::Pending
    }

    #[inline(never)]
    fn poll_later(&mut self, context: &mut Context<'_>) -> Poll<F::Output> {
        self.state = match std::mem::replace(&mut self.state, State::Ended) {
            State::First(check) => State::Later(Box::pin((self.long_way)(check))),
            other => other,
        };
        let ended = match &mut self.state {
            State::Later(later) => ready!(later.as_mut().poll(context)),
            State::Yields(_) => {
                ready!(poll_yield(context));
                match std::mem::replace(&mut self.state, State::Ended) {
                    State::Yields(rejection) => Err(*rejection),
                    _ => return Poll::Pending,
                }
            }
            State::First(_) | State::Ended => return Poll::Pending,
        };
        self.state = State::Ended;
        Poll::Ready(ended)
    }
}

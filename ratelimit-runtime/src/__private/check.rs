//! `Check`: the decision about a call whose units are never returned, which is the most frequent case.

use super::admission;
use super::call::{Call, Resolved};
use crate::error::Error;
use crate::limiter::{CurrentLimiter, Decided, Stack, join, undecided};
use crate::rejection::Rejection;
use crate::store::{Mode, Reply, Request};
use smallvec::{SmallVec, smallvec};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// A future of the decision about a call. If the call waits for a turn, the future is ready at its turn.
#[must_use = "the decision must be awaited"]
pub struct Check(State);

enum State {
    /// The reply of the store is the whole decision.
    Deciding { names: Names, reply: Reply<Decided> },
    /// All other calls, such as calls that may wait for a turn or must load the overrides first.
    Admitting(Pin<Box<dyn Future<Output = Result<(), Rejection>> + Send>>),
}

/// The names of a call's limits, in the order of its stack.
pub(super) type Names = SmallVec<[&'static str; 1]>;

/// Decides a call of one limit.
pub(super) fn start_one(call: Call) -> Check {
    if call.is_skipped() {
        return exempt();
    }
    if call.is_shadow() || !call.knows_overrides() {
        return admit(admission::start(smallvec![call]));
    }
    let name = call.name();
    match call.resolve() {
        Ok(Resolved { limiter, member }) if member.is_only_checked() => {
            decide(&limiter, smallvec![name], SmallVec::from_buf([member.request]))
        }
        Ok(Resolved { limiter, member }) => {
            admit(admission::admit(limiter.clone(), smallvec![name], smallvec![member]))
        }
        Err(error) => failed(name, error),
    }
}

/// Decides a call of several limits together.
pub(super) fn start_all(calls: SmallVec<[Call; 1]>) -> Check {
    if calls.iter().any(|call| call.is_shadow() || !call.knows_overrides()) {
        return admit(admission::start(calls));
    }
    let (mut names, mut stack, mut first) = (Names::new(), Stack::new(), None::<CurrentLimiter>);
    for call in calls.into_iter().filter(|call| !call.is_skipped()) {
        let name = call.name();
        match call.resolve() {
            Ok(Resolved { limiter, member }) => {
                names.push(name);
                stack.push(member);
                first.get_or_insert(limiter);
            }
            Err(error) => return failed(name, error),
        }
    }
    let Some(limiter) = first else { return exempt() };
    if stack.iter().any(|member| !member.is_only_checked()) {
        return admit(admission::admit(limiter.clone(), names, stack));
    }
    join(stack.iter_mut().map(|member| &mut member.request));
    decide(&limiter, names, stack.into_iter().map(|member| member.request).collect())
}

fn exempt() -> Check {
    Check(State::Deciding { names: Names::new(), reply: Reply::ready(Ok(Decided::of_nobody())) })
}

/// A call whose limit cannot be decided.
fn failed(name: &'static str, error: Error) -> Check {
    Check(State::Deciding { names: smallvec![name], reply: Reply::ready(Err(error)) })
}

fn decide(limiter: &CurrentLimiter, names: Names, requests: SmallVec<[Request; 1]>) -> Check {
    Check(State::Deciding { names, reply: limiter.decide(Mode::Check, requests) })
}

fn admit<T: Send>(admitted: impl Future<Output = Result<T, Rejection>> + Send + 'static) -> Check {
    Check(State::Admitting(Box::pin(async move { admitted.await.map(drop) })))
}

impl Future for Check {
    type Output = Result<(), Rejection>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            State::Admitting(future) => future.as_mut().poll(context),
            State::Deciding { names, reply } => {
                let decided = ready!(Pin::new(reply).poll(context));
                let name = |at: usize| names.get(at).copied().unwrap_or_default();
                Poll::Ready(match decided {
                    Ok(decided) => match decided.refused() {
                        None => Ok(()),
                        Some(at) => Err(Rejection::limited(name(at), decided.decisions[at])),
                    },
                    Err(error) => Err(undecided(name(0), error)),
                })
            }
        }
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check").finish_non_exhaustive()
    }
}

//! Whether a call may go on.

use super::call::Call;
use super::hold;
use crate::error::Error;
use crate::limit::Limit;
use crate::limiter::{Outcome, joined, undecided};
use crate::rejection::Rejection;
use crate::store::{Mode, Reply};
use smallvec::SmallVec;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The decision about a call, and its turn, if it has to wait for one.
#[must_use = "the decision has to be awaited"]
pub struct Check(Way);

enum Way {
    /// The answer of the store is all there is to it.
    Plain { names: SmallVec<[&'static str; 1]>, reply: Reply<Outcome> },
    /// There may be more than one question, or a turn to wait for.
    Boxed(Pin<Box<dyn Future<Output = Result<(), Rejection>> + Send>>),
}

pub(super) fn start(mut calls: SmallVec<[Call; 1]>) -> Check {
    calls.retain(|call| !call.is_skipped());
    let names = calls.iter().map(Call::name).collect();
    let reply = match ask(&mut calls) {
        Ok(Some(reply)) => reply,
        Ok(None) => {
            let held = hold::hold(calls);
            return Check(Way::Boxed(Box::pin(async move { held.await.map(drop) })));
        }
        Err(error) => Reply::ready(Err(error)),
    };
    Check(Way::Plain { names, reply })
}

/// Asks the store, if that is all there is to do.
fn ask(calls: &mut [Call]) -> Result<Option<Reply<Outcome>>, Error> {
    let Some(first) = calls.first() else {
        return Ok(Some(Reply::ready(Ok(Outcome::of_nobody()))));
    };
    if calls.iter().any(Call::is_shadow) || !first.limiter()?.knows_overrides() {
        return Ok(None);
    }
    if let [call] = calls {
        let (limit, plain) = call.resolve()?;
        if !plain {
            return Ok(None);
        }
        let (request, limiter) = call.request(&limit)?;
        return Ok(Some(limiter.decide(Mode::Check, &[request])));
    }
    let resolved =
        calls.iter_mut().map(Call::resolve).collect::<Result<SmallVec<[(Limit, bool); 2]>, _>>()?;
    if resolved.iter().any(|(_, plain)| !plain) {
        return Ok(None);
    }
    let asked: SmallVec<[_; 2]> = calls
        .iter_mut()
        .zip(&resolved)
        .map(|(call, (limit, _))| call.request(limit))
        .collect::<Result<_, _>>()?;
    let stack = joined(asked.iter().map(|(request, _)| *request));
    Ok(asked.first().map(|(_, limiter)| limiter.decide(Mode::Check, &stack)))
}

impl Future for Check {
    type Output = Result<(), Rejection>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            Way::Boxed(future) => future.as_mut().poll(context),
            Way::Plain { names, reply } => {
                let answer = ready!(Pin::new(reply).poll(context));
                let name = |at: usize| names.get(at).copied().unwrap_or_default();
                Poll::Ready(match answer {
                    Ok(outcome) => match outcome.refused() {
                        None => Ok(()),
                        Some(at) => Err(Rejection::limited(name(at), outcome.decisions[at])),
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

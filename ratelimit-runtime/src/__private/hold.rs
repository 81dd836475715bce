//! Calls whose units stay at hand: permits, and charges that depend on the call's result.

use super::call::Call;
use super::check::unavailable;
use crate::error::Error;
use crate::limiter::{self, RateLimiter, Refused, Stack};
use crate::rejection::Rejection;
use smallvec::SmallVec;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The decision about a call, and what it holds.
#[must_use = "the decision has to be awaited"]
pub struct Hold(Pin<Box<dyn Future<Output = Result<Held, Rejection>> + Send>>);

pub(super) fn hold(calls: SmallVec<[Call; 1]>) -> Hold {
    Hold(Box::pin(async move {
        let names: SmallVec<[&'static str; 1]> = calls.iter().map(Call::name).collect();
        let name = |at: usize| names.get(at).copied().unwrap_or_default();
        match admit(calls).await {
            Ok(held) => Ok(Held(held)),
            Err(Refused::Limited(at, decision)) => Err(Rejection::limited(name(at), decision)),
            Err(Refused::Failed(error)) => Err(unavailable(name(0), error)),
        }
    }))
}

async fn admit(calls: SmallVec<[Call; 1]>) -> Result<limiter::Held, Refused> {
    let limiter: RateLimiter = match calls.first() {
        Some(first) => first.limiter()?.clone(),
        None => return Err(Error::new(crate::ErrorKind::Configuration, "a stack without limits").into()),
    };
    limiter.learn_overrides().await;
    let resolve = |call: Call| Ok(call.into_question()?.resolve(&limiter));
    let stack = calls.into_iter().map(resolve).collect::<Result<Stack, Error>>()?;
    limiter.admit(stack).await
}

impl Future for Hold {
    type Output = Result<Held, Rejection>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(context)
    }
}

/// What an admitted call holds. Dropped, permits go back and charges stay; what was to be charged later is charged.
#[must_use = "what is held goes back when this is dropped"]
pub struct Held(limiter::Held);

impl Held {
    /// Takes the units of a limit after the call, or lets them be.
    pub fn charge_if(&mut self, at: usize, charge: bool) {
        self.0.decide_later(at, charge);
    }

    /// Gives the units of a limit back, or lets them be taken.
    pub fn refund_if(&mut self, at: usize, refund: bool) {
        if refund {
            self.0.settle(at, 0);
        }
    }

    /// Says what the call has really cost.
    pub fn settle(&mut self, at: usize, cost: u32) {
        self.0.settle(at, cost);
    }

    /// Sends what was said.
    pub async fn finish(self) {
        if let Err(error) = self.0.finish().await {
            tracing::debug!(%error, "units were not given back or taken after a call");
        }
    }
}

impl fmt::Debug for Hold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hold").finish_non_exhaustive()
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held").finish_non_exhaustive()
    }
}

/// What the result of a call says of its units. The signature is what lets a closure go without types.
pub fn judge<R, T>(closure: impl FnOnce(&R) -> T, result: &R) -> T {
    closure(result)
}

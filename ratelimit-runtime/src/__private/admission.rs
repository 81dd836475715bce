//! `Admission`: holds the permits of an admitted call, and the charges that the call's result may change. `Calls`: the limits
//! of one call.

use super::call::Call;
use crate::body::{BodySent, Held, Settle};
use crate::key::Name;
use crate::limiter::{Holdings, Member, RateLimiter, Stack, failed, shadow_failed};
use crate::macros::opaque;
use crate::observe::{Outcome, unasked};
use crate::rejection::Rejection;
use smallvec::{SmallVec, smallvec};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;
use tokio::time::Instant;

/// A future that decides a call and returns its admission or its rejection.
pub type Admit = Pin<Box<dyn Future<Output = Result<Admission, Rejection>> + Send>>;

/// The limits of one call, which are decided together.
pub struct Calls(pub(super) SmallVec<[Call; 1]>);

/// The limits of a call that the store decides: their requests are complete, in the order of the attributes.
pub(super) struct Completed {
    pub(super) limiter: RateLimiter,
    pub(super) names: SmallVec<[Name<'static>; 1]>,
    pub(super) stack: Stack,
}

impl Completed {
    pub(super) fn of_one(limiter: RateLimiter, name: Name<'static>, member: Member) -> Self {
        Self { limiter, names: smallvec![name], stack: smallvec![member] }
    }

    pub(super) async fn admit(self, began: Option<Instant>) -> Result<Admission, Rejection> {
        let holdings = self.limiter.attempt_held(began, &self.names, self.stack).await?;
        Ok(Admission(Some(Box::new(holdings))))
    }
}

impl Calls {
    /// The limits in the order of their attributes.
    pub fn of(calls: impl IntoIterator<Item = Call>) -> Self {
        Self(SmallVec::from_iter(calls))
    }

    /// Whether all limits have loaded their overrides, and none of them is a shadow limit.
    pub(super) fn are_plain(&self) -> bool {
        self.0.iter().all(|call| !call.shadow && call.knows_overrides())
    }

    /// Waits until the overrides are known. Returns the time at which the call began, or `None` if it did not wait.
    pub(super) async fn learn_overrides(&self) -> Option<Instant> {
        let mut limiters = self.0.iter().filter(|call| !call.skipped).map(|call| call.limiter.as_deref());
        match limiters.find_map(Result::ok) {
            Some(limiter) => limiter.learn_overrides().await,
            None => None,
        }
    }

    /// Completes the requests to the store. Returns `None` if no limit has to be decided, for example because the call is
    /// exempt from all limits.
    pub(super) fn complete(self) -> Result<Option<Completed>, Rejection> {
        let (mut names, mut stack, mut decides) = (SmallVec::new(), Stack::new(), None::<RateLimiter>);
        for (position, mut call) in self.0.into_iter().enumerate() {
            let (name, is_shadow) = (call.name(), call.shadow);
            if call.skipped {
                unasked(name.as_str(), Outcome::Exempt);
                continue;
            }
            let mut request = call.request();
            match call.complete(&mut request) {
                Ok(limiter) => decides = decides.or_else(|| Some(limiter.clone())),
                Err(error) if is_shadow => {
                    shadow_failed(name.as_str(), &error);
                    continue;
                }
                Err(error) => return Err(failed(name, error)),
            }
            names.push(name);
            stack.push(call.member(request, position));
        }
        Ok(decides.map(|limiter| Completed { limiter, names, stack }))
    }

    /// Decides the limits together, like [`Call::admit`].
    pub fn admit(self) -> Admit {
        Box::pin(async {
            let began = self.learn_overrides().await;
            match self.complete()? {
                Some(completed) => completed.admit(began).await,
                None => Ok(Admission::default()),
            }
        })
    }
}

impl Call {
    /// Decides the call like [`start`](Self::start). The admission that it returns can also give units back.
    pub fn admit(self) -> Admit {
        Calls(SmallVec::from_buf([self])).admit()
    }
}

/// Holds the permits and charges of an admitted call. Its methods select a limit by its position among the attributes.
///
/// Dropping it returns permits and keeps charges.
#[derive(Default)]
#[must_use = "dropping this returns the permits and keeps the charges"]
pub struct Admission(
    /// `None` if the call holds nothing, for example because it is exempt. Boxed, because the user's future contains it several
    /// times.
    Option<Box<Holdings>>,
);

impl Admission {
    /// Gives the units of a limit back, if `refund` is true.
    pub fn refund_if(&mut self, position: usize, refund: bool) {
        if refund {
            self.settle(position, 0);
        }
    }

    /// Corrects the charge of a limit to the real cost of the call.
    pub fn settle(&mut self, position: usize, cost: u32) {
        if let Some((holdings, at)) = self.member(position) {
            holdings.settle(at, cost);
        }
    }

    /// Pauses a limit for `time`. Does nothing if `time` is `None`.
    pub fn pause_if(&mut self, position: usize, time: Option<Duration>) {
        if let (Some((holdings, at)), Some(time)) = (self.member(position), time) {
            holdings.pause(at, time);
        }
    }

    fn member(&mut self, position: usize) -> Option<(&mut Holdings, usize)> {
        let holdings = self.0.as_deref_mut()?;
        let at = holdings.place(position)?;
        Some((holdings, at))
    }

    /// Sends the changes to the store.
    pub async fn finish(self) {
        if let Some(mut holdings) = self.0 {
            let _ = Box::pin(holdings.finish()).await;
        }
    }

    /// Sends the changes to the store, except for the limits at the positions in `lasting`. Returns the permits and charges of
    /// those limits, which the response holds until its body ends. `settles` are the `settle` functions, with the positions of
    /// their limits.
    pub async fn hold<const N: usize>(self, lasting: &[usize], settles: [(usize, Settle); N]) -> Held {
        let Some(mut holdings) = self.0 else { return Held::default() };
        let _ = Box::pin(holdings.finish_except(lasting)).await;
        let settles = settles.into_iter();
        let settles =
            settles.filter_map(|(position, cost)| Some((holdings.place(position)?, cost))).collect();
        holdings.into_held(settles)
    }
}

/// Boxes the `settle` closure of an attribute that also has `until = "body_end"`. This signature lets the closure omit its
/// parameter type. The type of the box is the same for all closures, so the compiler reports a mistake only once.
pub fn cost_on_end<T>(
    cost: impl FnOnce(BodySent) -> T + Send + 'static,
) -> Box<dyn FnOnce(BodySent) -> T + Send> {
    Box::new(cost)
}

opaque!(Admission);

/// Calls a closure with the result of a call. This signature lets the closure omit its parameter type.
pub fn judge<R, T>(closure: impl FnOnce(&R) -> T, result: &R) -> T {
    closure(result)
}

//! `Charge`: the units of an admitted call, which can be refunded or settled once. Also the method `penalize`.

use super::changes::Changes;
use super::holdings::Holdings;
use crate::body::{BodySent, HoldBody};
use crate::decision::Decision;
use crate::error::Error;
use crate::key::AsKey;
use crate::learn::Estimate;
use crate::limit::Limit;
use crate::limiter::RateLimiter;
use crate::limiter::layers::invalid_reply;
use crate::limiter::resolve::ensure_not_concurrency;
use crate::macros::opaque;
use crate::observe::registry;
use crate::rejection::Rejection;
use crate::store::Change;
use crate::store::cost::Cost;

/// The units that a call has taken. They can be refunded or settled once. If the charge is dropped, the units stay charged.
///
/// Only units that are still in use can be returned, so a limit never has more free units than its capacity. Nothing is returned
/// after the window of the charge has ended, after the bucket has refilled, or if the store's reply did not arrive. While calls
/// wait for their turn, only the units of the call with the last turn can be returned.
///
/// Nothing is returned after a [`reset`](RateLimiter::reset) either: the units of earlier charges are gone.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use ratelimit::{Key, Limit, RateLimiter};
/// use std::time::Duration;
///
/// let limiter = RateLimiter::in_memory();
/// let tokens = Limit::token_bucket(1000, Duration::from_secs(3600));
/// let key = || Key::new("tokens").by("user 7");
///
/// let charge = limiter.charge(&tokens, key(), 200).await?; // an estimate
/// charge.settle(150).await?; // the real cost
/// let charge = limiter.charge(&tokens, key(), 100).await?;
/// charge.refund().await?; // the work was not done
/// assert_eq!(limiter.peek(&tokens, key()).await?.remaining(), 850);
/// # Ok(()) }
/// ```
#[must_use = "dropping a charge keeps the units charged; call `refund` or `settle`, or use `check`"]
pub struct Charge {
    holdings: Holdings,
    decision: Decision,
}

impl Charge {
    /// The decision that admitted the call.
    pub const fn decision(&self) -> Decision {
        self.decision
    }

    /// Returns all units to the limit. Returns how many of them were still in use.
    ///
    /// # Errors
    ///
    /// If the store that was charged fails or does not reply in time. The units may have been returned nevertheless. If the
    /// store has certainly not executed the refund, because it is unavailable or refuses to write, the refund is sent again in
    /// the background until the store has made it. At most 16 384 such changes are remembered. Dropping the future after its
    /// first poll does not stop the refund.
    pub async fn refund(mut self) -> Result<u32, Error> {
        self.holdings.give_all_back();
        self.holdings.finish().await
    }

    /// Corrects the charge to the real cost of the call. The difference is returned, or it is taken even if not enough
    /// units are free. The debt is at most one capacity. Returns how many units were returned or taken.
    ///
    /// # Errors
    ///
    /// The errors of [`refund`](Self::refund).
    pub async fn settle(mut self, cost: u32) -> Result<u32, Error> {
        self.holdings.settle(0, cost);
        self.holdings.finish().await
    }

    /// Settles the charge when the body of a response ends. `cost` computes the real cost from the amount that was sent. The
    /// difference is returned or taken in the background, as by [`settle`](Self::settle). If `cost` panics, the units stay
    /// charged. If the response is an `Err`, `cost` is called at once with nothing sent.
    ///
    /// ```
    /// # #[cfg(feature = "axum")] mod example {
    /// use axum::body::Body;
    /// use axum::response::{IntoResponse, Response};
    /// use ratelimit::{Key, Limit, RateLimiter, Rejection};
    /// use std::time::Duration;
    ///
    /// const MEBIBYTES: Limit = Limit::counter(1000, Duration::from_secs(86_400)); // a gibibyte a day
    ///
    /// async fn download(limiter: RateLimiter, user: u64, file: Body) -> Result<Response, Rejection> {
    ///     let charge = limiter.charge(&MEBIBYTES, Key::new("downloads").by(user), 1).await?;
    ///     Ok(charge.settle_on_end(file.into_response(), |sent| sent.blocks(1024 * 1024)))
    /// }
    /// # }
    /// ```
    #[must_use = "dropping the response settles the charge"]
    pub fn settle_on_end<R: HoldBody>(
        self,
        response: R,
        cost: impl FnOnce(BodySent) -> u32 + Send + 'static,
    ) -> R::Output {
        response.hold(self.holdings.into_held(vec![(0, Box::new(cost))]))
    }
}

opaque!(Charge, |this| decision = this.decision);

impl RateLimiter {
    /// Takes `cost` units of a limit, which can be returned later. The call waits for its turn, as with
    /// [`acquire`](Self::acquire).
    ///
    /// # Errors
    ///
    /// A [`Rejection`], with the same cases as [`check`](Self::check).
    pub async fn charge(
        &self,
        limit: &Limit,
        key: impl AsKey,
        cost: impl Into<Cost>,
    ) -> Result<Charge, Rejection> {
        let admitted = self.admit_one(limit, &key, cost.into(), None, ensure_not_concurrency).await;
        let (holdings, decision) = admitted?;
        Ok(Charge { holdings, decision })
    }

    /// Takes the units of an estimate, like [`charge`](Self::charge). The call is in flight until the charge is settled, refunded or
    /// dropped. [`Charge::settle`] teaches the [`Estimator`](crate::learn::Estimator). A charge that is dropped costs the ceiling of the
    /// estimate.
    ///
    /// # Errors
    ///
    /// A [`Rejection`], with the same cases as [`check`](Self::check).
    pub async fn charge_estimate(
        &self,
        limit: &Limit,
        key: impl AsKey,
        estimate: Estimate,
    ) -> Result<Charge, Rejection> {
        let cost = estimate.cost();
        let admitted = self.admit_one(limit, &key, cost, Some(estimate), ensure_not_concurrency).await;
        let (holdings, decision) = admitted?;
        Ok(Charge { holdings, decision })
    }

    /// Takes units even if they are not free. Use it for a penalty, or for work whose cost is known only afterwards. The limit
    /// may go into debt, by at most one [`capacity`](Limit::capacity). Returns how many units were taken.
    ///
    /// # Errors
    ///
    /// If the store fails, whatever the failure policy is, or if the limit is a concurrency limit.
    pub async fn penalize(&self, limit: &Limit, key: impl AsKey, cost: u32) -> Result<u32, Error> {
        let began = self.learn_overrides().await;
        let request = self.request(limit, &key, cost.into())?;
        ensure_not_concurrency(request.limit())?;
        let mut changes = Changes::default();
        let name = registry::named(key.name()).name();
        changes.push(name, request.adjustment(cost, Change::Take), self.shared.watch.sees_takes());
        let adjusting = self.shared.store.bare().adjust(&changes.adjustments);
        let taken = self.shared.store.within_rest(began, adjusting).await;
        changes.note_taken(self, &taken);
        taken?.first().copied().ok_or_else(invalid_reply)
    }
}

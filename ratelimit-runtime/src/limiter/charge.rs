//! What an admitted call took, to be given back or settled once.

use super::RateLimiter;
use super::check::unanswered;
use super::holdings::Holdings;
use super::stack::{Member, Stack};
use crate::decision::Decision;
use crate::error::Error;
use crate::key::{AsKey, LimitName};
use crate::limit::Limit;
use crate::rejection::Rejection;
use crate::store::Change;
use std::fmt;

/// Units that a call has taken. Dropped, it stays taken; it can be given back, or settled, once.
///
/// Units come back as far as they are still in use, so that a limit never holds more than its capacity: nothing after
/// the window in which they were taken has ended, after a bucket has refilled, or after the store's answer was lost.
/// While calls wait for their turn, only the last one's units come back.
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
/// charge.settle(150).await?; // what it was
/// let charge = limiter.charge(&tokens, key(), 100).await?;
/// charge.refund().await?; // nothing was done
/// assert_eq!(limiter.peek(&tokens, key()).await?.remaining(), 850);
/// # Ok(()) }
/// ```
#[must_use = "a charge that is dropped stays; give it back or settle it, or call `check` instead"]
pub struct Charge {
    holdings: Holdings,
    decision: Decision,
}

impl Charge {
    /// The decision that admitted the call.
    pub const fn decision(&self) -> Decision {
        self.decision
    }

    /// Gives all of it back. Answers how many units were still in use.
    ///
    /// # Errors
    ///
    /// When the store that was charged does not answer. The units are on their way all the same, also when the future
    /// is dropped.
    pub async fn refund(mut self) -> Result<u32, Error> {
        self.holdings.give_all_back();
        self.holdings.finish().await
    }

    /// Says what the call has really cost: the difference is given back, or taken, whether there is room or not, at
    /// most one capacity deep into debt. Answers how many units were given back or taken.
    ///
    /// # Errors
    ///
    /// As [`refund`](Self::refund).
    pub async fn settle(mut self, cost: u32) -> Result<u32, Error> {
        self.holdings.settle(0, cost);
        self.holdings.finish().await
    }
}

impl fmt::Debug for Charge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Charge").field("decision", &self.decision).finish_non_exhaustive()
    }
}

impl RateLimiter {
    /// Takes `cost` units of a limit that may be given back, and waits for its turn as [`acquire`](Self::acquire) does.
    ///
    /// # Errors
    ///
    /// A [`Rejection`], as [`check`](Self::check).
    pub async fn charge(&self, limit: &Limit, key: impl AsKey, cost: u32) -> Result<Charge, Rejection> {
        self.learn_overrides().await;
        let holdings = match self.spending_request(limit, &key, cost) {
            Ok(request) => self.clone().admit(Stack::from_iter([Member::new(request)])).await,
            Err(error) => Err(error.into()),
        };
        let charge = holdings.and_then(|holdings| {
            let decision = holdings.decision().ok_or_else(unanswered)?;
            Ok(Charge { holdings, decision })
        });
        charge.map_err(|refused| refused.rejection(LimitName::copy(key.name())))
    }

    /// Takes units without asking: a penalty, or work whose cost is known only when it is done. The limit may go into
    /// debt, at most one [`capacity`](Limit::capacity) deep. Answers how many units were taken.
    ///
    /// # Errors
    ///
    /// When the store cannot answer, whatever the failure policy, and for a concurrency limit.
    pub async fn penalize(&self, limit: &Limit, key: impl AsKey, cost: u32) -> Result<u32, Error> {
        self.learn_overrides().await;
        let take = self.spending_request(limit, &key, cost)?.adjustment(cost, Change::Take);
        let taken = self.within_deadline(self.shared.store.adjust(&[take])).await?;
        taken.first().copied().ok_or_else(unanswered)
    }
}

//! Waiting for a turn: `acquire`.

use super::RateLimiter;
use super::admitted::Admitted;
use super::check::unanswered;
use super::stack::{Member, Stack};
use crate::key::{AsKey, LimitName};
use crate::limit::Limit;
use crate::rejection::Rejection;

impl RateLimiter {
    /// Takes one unit of a limit, and waits for its turn if the limit has a [`wait`](Limit::wait). When the future
    /// returns `Ok`, the turn has come. A call that could not be served in time is refused at once. Turns are given in the
    /// order in which calls arrive at the store.
    ///
    /// If the future is dropped while it waits, the turn is given back, unless a later call has a turn already. The wait
    /// needs a tokio runtime with time enabled.
    ///
    /// # Errors
    ///
    /// A [`Rejection`], as [`check`](Self::check).
    pub async fn acquire(&self, limit: &Limit, key: impl AsKey) -> Result<Admitted, Rejection> {
        self.acquire_cost(limit, key, 1).await
    }

    /// [`acquire`](Self::acquire) with a cost of your choice, as in [`check_cost`](Self::check_cost).
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    pub async fn acquire_cost(
        &self,
        limit: &Limit,
        key: impl AsKey,
        cost: u32,
    ) -> Result<Admitted, Rejection> {
        self.learn_overrides().await;
        let holdings = match self.spending_request(limit, &key, cost) {
            Ok(request) => self.clone().admit(Stack::from_iter([Member::new(request)])).await,
            Err(error) => Err(error.into()),
        };
        let decided = holdings.and_then(|holdings| Ok(holdings.decision().ok_or_else(unanswered)?));
        decided.map(Admitted).map_err(|refused| refused.rejection(LimitName::copy(key.name())))
    }
}

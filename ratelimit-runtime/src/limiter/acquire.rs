//! The methods that wait for a turn: `acquire` and `acquire_cost`.

use super::RateLimiter;
use super::admitted::Admitted;
use crate::key::AsKey;
use crate::limit::Limit;
use crate::rejection::Rejection;

impl RateLimiter {
    /// Takes one unit of a limit, and waits for its turn if the limit has a [`wait`](Limit::wait). When the future
    /// returns `Ok`, the turn has come. A call whose turn would come after the wait is refused at once. Turns follow the
    /// order in which the calls reach the store.
    ///
    /// If the future is dropped while it waits, the turn is returned, unless a later call already has a turn. Waiting
    /// needs a tokio runtime with time enabled.
    ///
    /// # Errors
    ///
    /// A [`Rejection`], as [`check`](Self::check).
    pub async fn acquire(&self, limit: &Limit, key: impl AsKey) -> Result<Admitted, Rejection> {
        self.acquire_cost(limit, key, 1).await
    }

    /// Takes `cost` units, as [`check_cost`](Self::check_cost), and waits as [`acquire`](Self::acquire).
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
        let request = self.spending_request(limit, &key, cost);
        let (_, decision) = self.admit_one(key.name(), request).await?;
        Ok(Admitted(decision))
    }
}

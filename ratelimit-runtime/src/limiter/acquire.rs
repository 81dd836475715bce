//! Waiting for a turn: `acquire`.

use super::RateLimiter;
use super::admit::Refused;
use super::admitted::Admitted;
use super::asked::{Question, Stack};
use super::check::{spent, unanswered};
use crate::key::{AsKey, LimitName};
use crate::limit::Limit;
use crate::rejection::Rejection;
use std::future::Future;

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
    pub fn acquire(
        &self,
        limit: &Limit,
        key: impl AsKey,
    ) -> impl Future<Output = Result<Admitted, Rejection>> + Send {
        self.acquire_cost(limit, key, 1)
    }

    /// [`acquire`](Self::acquire) with a cost of your choice, as in [`check_cost`](Self::check_cost).
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    pub fn acquire_cost(
        &self,
        limit: &Limit,
        key: impl AsKey,
        cost: u32,
    ) -> impl Future<Output = Result<Admitted, Rejection>> + Send {
        let (limiter, question) = (self.clone(), Question::of(self, limit, &key, cost));
        let name = LimitName::copy(key.name());
        async move {
            let admitted = async {
                let asked = spent(limiter.resolve(question?).await)?;
                let held = limiter.clone().admit(Stack::from_iter([asked])).await?;
                Admitted::of(held.decision().ok_or_else(unanswered)?)
            };
            admitted.await.map_err(|refused: Refused| refused.rejection(name))
        }
    }
}

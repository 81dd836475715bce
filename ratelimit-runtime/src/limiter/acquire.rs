//! Waiting for a turn: `acquire`.

use super::RateLimiter;
use super::admit::Refused;
use super::asked::{Question, Stack};
use super::check::{spent, unanswered};
use crate::decision::Decision;
use crate::error::Error;
use crate::key::AsKey;
use crate::limit::Limit;
use std::future::Future;

impl RateLimiter {
    /// Takes one unit of a limit, and waits for its turn if the limit has a [`wait`](Limit::wait): when the future is
    /// ready and the decision allows the call, its turn has come. A call that could not be served in time is refused at
    /// once. Turns are given in the order in which calls arrive at the store.
    ///
    /// If the future is dropped while it waits, the turn is given back, unless somebody has come after. The wait needs
    /// a tokio runtime with time enabled.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    pub fn acquire(
        &self,
        limit: &Limit,
        key: impl AsKey,
    ) -> impl Future<Output = Result<Decision, Error>> + Send {
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
    ) -> impl Future<Output = Result<Decision, Error>> + Send {
        let (limiter, question) = (self.clone(), Question::of(self, limit, &key, cost));
        async move {
            let asked = spent(limiter.resolve(question?).await)?;
            match limiter.admit(Stack::from_iter([asked])).await {
                Ok(held) => held.decision().ok_or_else(unanswered),
                Err(Refused::Limited(_, decision)) => Ok(decision),
                Err(Refused::Failed(error)) => Err(error),
            }
        }
    }
}

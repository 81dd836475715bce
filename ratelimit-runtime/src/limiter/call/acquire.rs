//! `acquire` and `acquire_cost`, which wait for a turn. `admit_one` admits any call of one limit that may wait.

use super::attempt::failed;
use super::checking::Admitted;
use super::holdings::Holdings;
use super::member::{Member, Stack};
use crate::coop::poll_yield;
use crate::decision::{Decision, Source};
use crate::error::Error;
use crate::key::{AsKey, Name};
use crate::learn::Estimate;
use crate::limit::Limit;
use crate::limiter::RateLimiter;
use crate::limiter::layers::{admitted, invalid_reply};
use crate::limiter::resolve::ensure_not_concurrency;
use crate::observe::{Outcome, unasked};
use crate::rejection::Rejection;
use crate::store::cost::Cost;
use std::future::poll_fn;
use tokio::time::Instant;

impl RateLimiter {
    /// Takes one unit of a limit, and waits for its turn if the limit has a [`wait`](Limit::wait). When the future
    /// returns `Ok`, the turn has come. A call whose turn would come after the wait is refused at once. Turns follow the
    /// order in which the calls reach the store.
    ///
    /// If the future is dropped while it waits, the turn is returned, but only if no later call has a turn yet. Waiting needs a
    /// tokio runtime with time enabled.
    ///
    /// # Errors
    ///
    /// A [`Rejection`], with the same cases as [`check`](Self::check).
    pub async fn acquire(&self, limit: &Limit, key: impl AsKey) -> Result<Admitted, Rejection> {
        self.acquire_cost(limit, key, 1).await
    }

    /// Takes `cost` units as [`check_cost`](Self::check_cost) does, and waits for the turn as [`acquire`](Self::acquire) does.
    ///
    /// # Errors
    ///
    /// The errors of [`check`](Self::check).
    pub async fn acquire_cost(
        &self,
        limit: &Limit,
        key: impl AsKey,
        cost: impl Into<Cost>,
    ) -> Result<Admitted, Rejection> {
        let (_, decision) = self.admit_one(limit, &key, cost.into(), None, ensure_not_concurrency).await?;
        Ok(Admitted::new(decision))
    }

    /// Admits a call of one limit, which may wait. `estimate` is set if the cost is an estimate. If `check` refuses the limit in
    /// force, the call is rejected. Returns the call's holdings and the decision.
    pub(super) async fn admit_one(
        &self,
        limit: &Limit,
        key: &impl AsKey,
        cost: Cost,
        estimate: Option<Estimate>,
        check: fn(&Limit) -> Result<(), Error>,
    ) -> Result<(Holdings, Decision), Rejection> {
        let (began, name) = (self.learn_overrides().await, Name::new(key.name()));
        let request = self.request(limit, key, cost);
        let request = request.and_then(|request| check(request.limit()).map(|()| request));
        let request = match request {
            Ok(request) => request,
            Err(error) => {
                poll_fn(poll_yield).await;
                return Err(failed(name, error));
            }
        };
        if self.is_off() {
            unasked(name.as_str(), Outcome::Exempt);
            let nothing = Holdings::new(self.clone(), Source::Nobody, Stack::new(), Instant::now());
            return Ok((nothing, admitted(&request)));
        }
        let mut member = Member::new(request, name.as_str());
        member.estimate = estimate;
        let stack = Stack::from_iter([member]);
        let holdings = self.attempt_held(began, &[name], stack).await?;
        match holdings.decision() {
            Some(decision) => Ok((holdings, decision)),
            None => Err(failed(name, invalid_reply())),
        }
    }
}

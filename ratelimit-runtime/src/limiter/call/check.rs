//! The methods that decide at once (`check`, `check_cost`, `check_all`), and `peek`, `peek_cost` and `reset`.

use super::attempt::{Pending, failed, passed, rejected};
use super::checking::{Admitted, Check, Checking};
use super::member::join;
use crate::coop::poll_yield;
use crate::decision::{Decision, PackedDecision};
use crate::error::{Error, ErrorKind};
use crate::key::{self, AsKey, KeyBuilder, Name, NameGroup};
use crate::limit::Limit;
use crate::limiter::RateLimiter;
use crate::limiter::layers::invalid_reply;
use crate::limiter::resolve::ensure_not_concurrency;
use crate::observe::{Outcome, unasked};
use crate::rejection::Rejection;
use crate::store::cost::Cost;
use crate::store::{Mode, Request};
use smallvec::SmallVec;
use std::future::{Future, poll_fn};
use tokio::time::Instant;

impl RateLimiter {
    /// Takes one unit of a limit if one is free. It never waits for a turn. A refused call is an error, so `?` is enough:
    ///
    /// ```
    /// use ratelimit::{Key, Limit, RateLimiter, Rejection};
    /// use std::time::Duration;
    ///
    /// const MAILS: Limit = Limit::counter(2, Duration::from_secs(60));
    ///
    /// async fn send_mail(limiter: &RateLimiter, user: u64) -> Result<(), Rejection> {
    ///     limiter.check(&MAILS, Key::new("mails").by(user)).await?; // a refused call returns here
    ///     println!("sent a mail for user {user}");
    ///     Ok(())
    /// }
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// # let limiter = RateLimiter::in_memory();
    /// # for _ in 0..2 { send_mail(&limiter, 7).await.unwrap(); }
    /// # let rejection = send_mail(&limiter, 7).await.unwrap_err();
    /// # assert!(matches!(rejection, Rejection::Limited(_)) && rejection.name() == "mails");
    /// # }
    /// ```
    ///
    /// The request is sent when the future is first polled. If the future is dropped before it is ready, the unit may
    /// already have been taken.
    ///
    /// # Errors
    ///
    /// A [`Rejection`] with the name of the key:
    ///
    /// - [`Limited`](Rejection::Limited), if the limit is used up;
    /// - [`Unidentified`](Rejection::Unidentified), if an identity of the key is absent;
    /// - [`Unavailable`](Rejection::Unavailable), if the limit could not be decided: the store failed under
    ///   [`OnError::Deny`](crate::OnError::Deny), the configuration is wrong, or the limit is a concurrency limit, which needs
    ///   [`permit`](Self::permit).
    pub fn check(
        &self,
        limit: &Limit,
        key: impl AsKey,
    ) -> impl Future<Output = Result<Admitted, Rejection>> + Send {
        self.check_cost(limit, key, 1)
    }

    /// Takes `cost` units of a limit, or none. The cost is a number, or a [`Cost`] that also leaves units to others. A call with
    /// a cost of zero is decided and takes nothing. A call whose cost is above the limit's [`capacity`](Limit::capacity) is
    /// always refused (`retry_after` is `None`).
    ///
    /// # Errors
    ///
    /// A [`Rejection`], with the same cases as [`check`](Self::check).
    pub fn check_cost(
        &self,
        limit: &Limit,
        key: impl AsKey,
        cost: impl Into<Cost>,
    ) -> impl Future<Output = Result<Admitted, Rejection>> + Send {
        let cost = cost.into();
        Checking::new(Check { limiter: self, limit, key, cost }, Self::check_later)
    }

    /// Decides a call by the hash of its key. Returns `None` if the call takes the long way.
    #[expect(clippy::inline_always, reason = "the values of the key then stay in registers")]
    #[inline(always)]
    pub(super) fn check_at_once(
        &self,
        limit: &Limit,
        key: &impl AsKey,
        cost: Cost,
    ) -> Option<Result<PackedDecision, Error>> {
        let name = Name::new(key.name());
        let summand = name.summand(self.keys().secrets);
        if key.has_caller() || !self.decides_at_once(limit) || !self.has_no_override(NameGroup::of(summand)) {
            return None;
        }
        let hash = match key::fold(summand, key, self.keys()) {
            Ok(fold) => fold.hash(limit.algorithm()),
            Err(error) => return Some(Err(undecided(name, error))),
        };
        Some(Ok(self.decide_hash(name, hash, limit, cost, || self.identity_hash(key).ok().flatten())))
    }

    /// Decides a call by a request to the store.
    async fn check_later<K: AsKey>(check: Check<'_, '_, K>) -> Result<Admitted, Rejection> {
        let Check { limiter, limit, key, cost } = check;
        let began = limiter.learn_overrides().await;
        match limiter.spend(began, limit, &key, cost) {
            Ok(Ok(decision)) if decision.is_allowed() => Ok(Admitted::new(decision)),
            Ok(ended) => {
                poll_fn(poll_yield).await;
                Err(rejected(Name::new(key.name()), ended))
            }
            Err(pending) => pending.await.map(|decisions| Admitted::new(decisions[0])),
        }
    }

    /// Makes the request and decides it. The request is dropped before the reply is awaited, so that the future stays small.
    #[inline]
    pub(super) fn spend<'k>(
        &self,
        began: Option<Instant>,
        limit: &Limit,
        key: &'k impl AsKey,
        cost: Cost,
    ) -> Result<Result<Decision, Error>, Pending<'k>> {
        let name = Name::new(key.name());
        let mut builder = KeyBuilder::new(name, None);
        if let Err(error) = self.collect(&mut builder, key, limit) {
            return Ok(Err(undecided(name, error)));
        }
        let mut request = Request::of_cost(*limit, cost);
        self.resolve(&builder, &mut request);
        if let Err(error) = ensure_not_concurrency(request.limit()) {
            return Ok(Err(undecided(name, error)));
        }
        self.attempt(began, std::slice::from_ref(&name), &[&request], |ended| {
            ended.map(|decisions| decisions[0])
        })
    }

    /// Takes units of several limits in one decision: of all limits, or of none. Each limit comes with its key and its cost. The
    /// keys may be of different types. The results are in the order of the limits.
    ///
    /// Each limit needs its own key. The key of a limit is the same in a stack and outside of it. So the limits of a stack can
    /// also be checked, [peeked](Self::peek) at and [reset](Self::reset) one by one.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), ratelimit::Rejection> {
    /// use ratelimit::{Key, Limit, RateLimiter, per};
    ///
    /// const OF_ALL: Limit = Limit::counter(1000, per::SECOND);
    /// const OF_USER: Limit = Limit::counter(500, per::DAY);
    ///
    /// let limiter = RateLimiter::in_memory();
    /// let user = Key::new("search/user").by("user 7");
    /// let admitted = limiter.check_all(&[(&OF_ALL, &"search", 1), (&OF_USER, &user, 1)]).await?;
    /// assert_eq!(admitted[1].decision().remaining(), 499);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// A [`Rejection`], with the same cases as [`check`](Self::check). The rejection names the limit that refused the call. If
    /// several limits refused, it names the limit with the longest wait. If two limits have the same key, the call is rejected
    /// as [`Unavailable`](Rejection::Unavailable).
    pub async fn check_all(
        &self,
        stack: &[(&Limit, &dyn AsKey, impl Into<Cost> + Copy)],
    ) -> Result<Vec<Admitted>, Rejection> {
        let began = self.learn_overrides().await;
        let mut requests = SmallVec::<[Request; 2]>::with_capacity(stack.len());
        for (limit, key, cost) in stack {
            let request = self.request(limit, key, (*cost).into()).and_then(|request| {
                ensure_not_concurrency(request.limit())?;
                if self.is_off() { Ok(request) } else { ensure_new_key(request, &requests) }
            });
            match request {
                Ok(request) => requests.push(request),
                Err(error) => {
                    poll_fn(poll_yield).await;
                    return Err(failed(Name::new(key.name()), error));
                }
            }
        }
        join(requests.iter_mut());
        let names: SmallVec<[Name<'_>; 2]> = stack.iter().map(|(_, key, _)| Name::new(key.name())).collect();
        let requests: SmallVec<[&Request; 2]> = requests.iter().collect();
        let admitted = |decisions: &[Decision]| decisions.iter().copied().map(Admitted::new).collect();
        match self.attempt(began, &names, &requests, |ended| passed(&names, ended).map(admitted)) {
            Ok(Err(rejection)) => {
                poll_fn(poll_yield).await;
                Err(rejection)
            }
            Ok(ended) => ended,
            Err(pending) => pending.await.map(|decisions| admitted(&decisions)),
        }
    }

    /// Returns what [`check`](Self::check) would decide now, and takes nothing. For a concurrency limit, it returns what
    /// [`permit`](Self::permit) would decide. A refusal is not an error here, so check [`is_allowed`](Decision::is_allowed).
    ///
    /// # Errors
    ///
    /// If the store fails, whatever the failure policy is, or if an identity of the key is absent.
    pub async fn peek(&self, limit: &Limit, key: impl AsKey) -> Result<Decision, Error> {
        self.peek_cost(limit, key, 1).await
    }

    /// Returns what [`check_cost`](Self::check_cost) would decide now about `cost` units, and takes nothing. For a concurrency
    /// limit, it returns what [`permit_cost`](Self::permit_cost) would decide.
    ///
    /// # Errors
    ///
    /// The errors of [`peek`](Self::peek).
    pub async fn peek_cost(
        &self,
        limit: &Limit,
        key: impl AsKey,
        cost: impl Into<Cost>,
    ) -> Result<Decision, Error> {
        let cost = cost.into();
        let began = self.learn_overrides().await;
        let request = self.request(limit, &key, cost)?;
        let reply = self.shared.store.bare().decide(Mode::Peek, &[&request]);
        let decisions = self.shared.store.within_rest(began, reply).await?;
        let decision = decisions.first().copied().ok_or_else(invalid_reply)?;
        if !decision.is_allowed() {
            poll_fn(poll_yield).await;
        }
        Ok(decision)
    }

    /// Deletes the state of a limit under a key, so that the next call finds nothing in use. Permits that are held are deleted
    /// too, and their holders continue to run. Refunds of earlier charges return nothing. Returns whether the store had a state.
    /// The result is `false` if nothing was in use, or if the name, the parts, the identity or the algorithm differ from those
    /// of the limited calls.
    ///
    /// # Errors
    ///
    /// If the store fails, whatever the failure policy is.
    pub async fn reset(&self, limit: &Limit, key: impl AsKey) -> Result<bool, Error> {
        let began = self.learn_overrides().await;
        let request = self.request(limit, &key, Cost::new(1))?;
        // The leased units of this process are dropped. They are not returned to the store, because their state is deleted.
        drop(self.shared.leases.take_back(request.key()));
        let _forgetting = self.shared.refusals.forget(std::iter::once(request.key()));
        let reply = self.shared.store.bare().reset(std::slice::from_ref(request.key()));
        Ok(self.shared.store.within_rest(began, reply).await? > 0)
    }
}

/// Counts a call that failed before it was decided. Returns the error.
#[cold]
fn undecided(name: Name<'_>, error: Error) -> Error {
    unasked(name.as_str(), Outcome::undecided(&error));
    error
}

/// Returns the request, or an error if an earlier request has the same key.
fn ensure_new_key(request: Request, earlier: &[Request]) -> Result<Request, Error> {
    if earlier.iter().any(|earlier| earlier.key().without_format() == request.key().without_format()) {
        return Err(Error::new(
            ErrorKind::Configuration,
            "two limits of one `check_all` have the same key; give each limit its own name, such as `Key::new(\"search/1s\")` and `Key::new(\"search/1d\")`",
        ));
    }
    Ok(request)
}

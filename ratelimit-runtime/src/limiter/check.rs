//! The methods that decide at once (`check`, `check_cost`, `check_all`), and `peek` and `reset`.

use super::RateLimiter;
use super::admitted::Admitted;
use super::decided::{Decided, DecidedRef, invalid_reply};
use super::deny_cache::Forgetting;
use super::refused::undecided;
use super::stack::join;
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::key::{AsKey, LimitName};
use crate::limit::Limit;
use crate::observe::{Watch, undecided as observe_undecided};
use crate::rejection::Rejection;
use crate::store::{Mode, PendingReply, Request, StoreKey};
use smallvec::SmallVec;
use std::future::Future;

type Requests = SmallVec<[Request; 1]>;

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
    ///   [`OnError::Deny`](crate::OnError::Deny), the configuration is wrong, or the limit is a concurrency limit, whose
    ///   units are held ([`permit`](Self::permit)).
    pub fn check(
        &self,
        limit: &Limit,
        key: impl AsKey,
    ) -> impl Future<Output = Result<Admitted, Rejection>> + Send {
        self.check_cost(limit, key, 1)
    }

    /// Takes `cost` units of a limit, or none. A cost of zero asks for a decision and takes nothing. A cost above the limit's
    /// [`capacity`](Limit::capacity) is always refused (`retry_after` is `None`).
    ///
    /// # Errors
    ///
    /// A [`Rejection`], as [`check`](Self::check).
    #[expect(
        clippy::manual_async_fn,
        reason = "the future of an `async fn` moves its arguments when it is first polled"
    )]
    pub fn check_cost(
        &self,
        limit: &Limit,
        key: impl AsKey,
        cost: u32,
    ) -> impl Future<Output = Result<Admitted, Rejection>> + Send {
        async move {
            if !self.knows_overrides() {
                self.learn_overrides().await;
            }
            let decided = match self.spend(limit, &key, cost) {
                Ok(decided) => decided,
                Err((reply, watch)) => {
                    let decided = reply.await;
                    watch.decided(1, |_| key.name(), || decided.as_ref().map(Decided::borrowed));
                    decided.and_then(|decided| first(&decided.decisions))
                }
            };
            Admitted::of(key.name(), decided)
        }
    }

    /// Makes the request and decides it. The request is not kept while the reply is awaited, so that the future stays small.
    #[inline]
    fn spend(
        &self,
        limit: &Limit,
        key: &impl AsKey,
        cost: u32,
    ) -> Result<Result<Decision, Error>, (PendingReply<Decided>, Watch)> {
        let mut request = Request::new(StoreKey::default(), *limit, cost);
        if let Err(error) = self.complete_spending(&mut request, key) {
            observe_undecided(key.name(), &error);
            return Ok(Err(error));
        }
        let watch = Watch::of(self, key.name(), std::iter::once(&request));
        let decided = self.decide_one(Mode::Check, &request, |decided| {
            watch.decided(1, |_| key.name(), || decided.as_ref().copied());
            decided.and_then(|decided| first(decided.decisions))
        });
        decided.map_err(|reply| (reply, watch))
    }

    /// Takes units of several limits in one decision: of all limits, or of none. Each limit comes with its key and its
    /// cost. The result has the order of the limits.
    ///
    /// Each limit needs its own key. A limit has the same key in a stack and by itself, so the limits of a stack can also
    /// be checked, [peeked](Self::peek) at and [reset](Self::reset) one by one.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), ratelimit::Rejection> {
    /// use ratelimit::{Key, Limit, RateLimiter};
    /// use std::time::Duration;
    ///
    /// const PER_SECOND: Limit = Limit::counter(2, Duration::from_secs(1));
    /// const PER_DAY: Limit = Limit::counter(1000, Duration::from_secs(86_400));
    ///
    /// let limiter = RateLimiter::in_memory();
    /// let (second, day) = (Key::new("search/1s").by("user 7"), Key::new("search/1d").by("user 7"));
    /// let admitted = limiter.check_all(&[(&PER_SECOND, second, 1), (&PER_DAY, day, 1)]).await?;
    /// assert_eq!(admitted[1].decision().remaining(), 999);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// A [`Rejection`], as [`check`](Self::check). It names the limit that refused the call. If more than one refused it,
    /// it names the one with the longest wait. If two limits have the same key, the call is
    /// rejected as [`Unavailable`](Rejection::Unavailable).
    pub async fn check_all<K: AsKey>(&self, stack: &[(&Limit, K, u32)]) -> Result<Vec<Admitted>, Rejection> {
        self.learn_overrides().await;
        let mut requests = Requests::with_capacity(stack.len());
        for (limit, key, cost) in stack {
            let request = self.spending_request(limit, key, *cost).and_then(|request| {
                if self.is_off() { Ok(request) } else { ensure_new_key(request, &requests) }
            });
            let request = request.inspect_err(|error| observe_undecided(key.name(), error));
            requests.push(request.map_err(|error| undecided(LimitName::copy(key.name()), error))?);
        }
        join(requests.iter_mut());
        let name = |at: usize| LimitName::copy(stack.get(at).map_or("", |(_, key, _)| key.name()));
        let watched = |at: usize| stack.get(at).map_or("", |(_, key, _)| key.name());
        let watch = Watch::of(self, watched(0), requests.iter());
        let decided = match self.decide(Mode::Check, &requests, |decided| decided.map(DecidedRef::to_owned)) {
            Ok(decided) => decided,
            Err(reply) => reply.await,
        };
        watch.decided(stack.len(), watched, || decided.as_ref().map(Decided::borrowed));
        match decided {
            Ok(decided) => match decided.refused() {
                None => Ok(decided.decisions.iter().copied().map(Admitted).collect()),
                Some(at) => Err(Rejection::limited(name(at), decided.decisions[at])),
            },
            Err(error) => Err(undecided(name(0), error)),
        }
    }

    /// Returns what [`check`](Self::check) would decide now, and takes nothing. For a concurrency limit it returns what
    /// [`permit`](Self::permit) would decide. A refusal is not an error here, so check [`allowed`](Decision::allowed).
    ///
    /// # Errors
    ///
    /// If the store fails, under every failure policy, or if an identity of the key is absent.
    pub async fn peek(&self, limit: &Limit, key: impl AsKey) -> Result<Decision, Error> {
        self.learn_overrides().await;
        let request = self.request(limit, &key, 1)?;
        let reply = self.shared.store.decide(Mode::Peek, &[&request]);
        first(&self.within_deadline(reply).await?)
    }

    /// Deletes the state of a limit under a key, so that the next call finds nothing in use. Permits that are held are
    /// deleted too, and their holders continue to run. Returns whether the store had a state. It is `false` if nothing was
    /// in use, or if the name, the parts, the identity or the algorithm differ from those of the limited calls.
    ///
    /// # Errors
    ///
    /// If the store fails, under every failure policy.
    pub async fn reset(&self, limit: &Limit, key: impl AsKey) -> Result<bool, Error> {
        self.learn_overrides().await;
        let request = self.request(limit, &key, 1)?;
        self.shared.leases.forget(request.key());
        let _forgetting = Forgetting::start(self, std::iter::once(request.key()));
        let reply = self.shared.store.reset(std::slice::from_ref(request.key()));
        Ok(self.within_deadline(reply).await? > 0)
    }
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

fn first(decisions: &[Decision]) -> Result<Decision, Error> {
    decisions.first().copied().ok_or_else(invalid_reply)
}

//! Deciding at once: `check`, `check_all`, and looking at a limit and forgetting it.

use super::RateLimiter;
use super::admit::Refused;
use super::admitted::{Admitted, undecided};
use super::asked::{Asked, Question, Stack, is_spent, joined};
use super::denied::Forgetting;
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::key::{AsKey, LimitName};
use crate::limit::Limit;
use crate::rejection::Rejection;
use crate::store::Mode;
use std::future::Future;

impl RateLimiter {
    /// Takes one unit of a limit if it is free, and never waits for a turn. A refused call is an error, so `?` is enough:
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
    /// Nothing happens before the future is polled. If the future is dropped before it is ready, the unit may have been
    /// taken or not.
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

    /// Takes `cost` units of a limit, or none. A cost of zero is decided and takes nothing. A cost above the limit's
    /// [`capacity`](Limit::capacity) is always refused (`retry_after` is `None`).
    ///
    /// # Errors
    ///
    /// A [`Rejection`], as [`check`](Self::check).
    pub fn check_cost(
        &self,
        limit: &Limit,
        key: impl AsKey,
        cost: u32,
    ) -> impl Future<Output = Result<Admitted, Rejection>> + Send {
        let mut question = Question::of(self, limit, &key, cost);
        let name = LimitName::copy(key.name());
        async move {
            let admitted = async {
                let question = question.as_mut().map_err(|error| error.clone())?;
                self.learn_overrides().await;
                let request = question.spends(self)?;
                Admitted::of(first(&self.decide_kept(Mode::Check, &[request]).await?.decisions)?)
            };
            admitted.await.map_err(|refused: Refused| refused.rejection(name))
        }
    }

    /// Takes units of several limits in one decision: of all limits, or of none. Each limit comes with its key and its
    /// cost. The answers are in the order of the limits.
    ///
    /// Each limit needs a key of its own. A limit has the same key in a stack and alone, so the limits of a stack can also be
    /// checked, [peeked](Self::peek) at and [reset](Self::reset) one by one.
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
    /// it names the one with the longest wait. Two limits with the same key are an [`Unavailable`](Rejection::Unavailable)
    /// rejection.
    pub fn check_all<K: AsKey>(
        &self,
        stack: &[(&Limit, K, u32)],
    ) -> impl Future<Output = Result<Vec<Admitted>, Rejection>> + Send + use<K> {
        let limiter = self.clone();
        let questions: Vec<(LimitName, Result<Question, Error>)> = stack
            .iter()
            .map(|(limit, key, cost)| (LimitName::copy(key.name()), Question::of(self, limit, key, *cost)))
            .collect();
        let equal = has_equal_keys(&questions);
        async move {
            limiter.learn_overrides().await;
            let (mut names, mut stack) = (Vec::with_capacity(questions.len()), Stack::new());
            for (name, question) in questions {
                match question.and_then(|question| spent(question.resolve(&limiter))) {
                    Ok(asked) => stack.push(asked),
                    Err(error) => return Err(undecided(name, error)),
                }
                names.push(name);
            }
            if let Some(at) = equal {
                return Err(undecided(names.swap_remove(at), equal_keys()));
            }
            match limiter.decide_kept(Mode::Check, &joined(stack.iter().map(Asked::request))).await {
                Ok(outcome) => match outcome.refused() {
                    None => Ok(outcome.decisions.iter().copied().map(Admitted).collect()),
                    Some(at) => Err(Rejection::limited(names.swap_remove(at), outcome.decisions[at])),
                },
                Err(error) => {
                    let first = names.into_iter().next();
                    Err(undecided(first.unwrap_or(LimitName::Static("")), error))
                }
            }
        }
    }

    /// Returns what [`check`](Self::check) would decide now, and takes nothing. Of a concurrency limit it returns what
    /// [`permit`](Self::permit) would decide. It does not refuse anything: look at [`allowed`](Decision::allowed).
    ///
    /// # Errors
    ///
    /// If the store cannot answer, whatever the failure policy is, or if an identity of the key is absent.
    pub fn peek(
        &self,
        limit: &Limit,
        key: impl AsKey,
    ) -> impl Future<Output = Result<Decision, Error>> + Send {
        let (limiter, question) = (self.clone(), Question::of(self, limit, &key, 1));
        async move {
            let asked = limiter.resolve(question?).await;
            let reply = limiter.shared.store.decide(Mode::Peek, &[asked.request()]);
            first(&limiter.within_deadline(reply).await?)
        }
    }

    /// Deletes the state of a limit under a key, so that the next call finds nothing in use. Permits that are held are
    /// forgotten too, and their holders continue to run. Returns whether the store had a state: `false` if nothing was in
    /// use, or if the name, the parts, the identity or the algorithm are not those of the limit that was meant.
    ///
    /// # Errors
    ///
    /// If the store does not reply, whatever the failure policy is, or if an identity of the key is absent.
    pub fn reset(&self, limit: &Limit, key: impl AsKey) -> impl Future<Output = Result<bool, Error>> + Send {
        let (limiter, question) = (self.clone(), Question::of(self, limit, &key, 1));
        async move {
            let asked = limiter.resolve(question?).await;
            limiter.shared.on_lease.forget(asked.key.as_store_key().as_bytes());
            let key = asked.key.as_store_key();
            let _forgetting = Forgetting::start(&limiter, std::iter::once(&key));
            let reply = limiter.shared.store.reset(&[key]);
            Ok(limiter.within_deadline(reply).await? > 0)
        }
    }
}

/// The position of a question whose key an earlier one has.
fn has_equal_keys(questions: &[(LimitName, Result<Question, Error>)]) -> Option<usize> {
    let key = |at: usize| questions[at].1.as_ref().ok().map(|question| &question.key);
    (1..questions.len())
        .find(|at| key(*at).is_some_and(|this| (0..*at).any(|earlier| key(earlier) == Some(this))))
}

fn equal_keys() -> Error {
    Error::new(
        ErrorKind::Configuration,
        "two limits of one `check_all` have the same key: give each limit a name of its own, as in `Key::new(\"search/1s\")` and `Key::new(\"search/1d\")`",
    )
}

/// A limit whose units are spent, not held.
pub(super) fn spent(asked: Asked) -> Result<Asked, Error> {
    is_spent(&asked.limit)?;
    Ok(asked)
}

fn first(decisions: &[Decision]) -> Result<Decision, Error> {
    decisions.first().copied().ok_or_else(unanswered)
}

pub(super) fn unanswered() -> Error {
    Error::new(ErrorKind::Configuration, "the store has answered nothing")
}

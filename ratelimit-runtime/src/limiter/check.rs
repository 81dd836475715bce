//! Deciding at once: `check`, `check_all`, and looking at a limit and forgetting it.

use super::RateLimiter;
use super::asked::{Asked, Question, Stack, is_spent, joined};
use super::denied::Forgetting;
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::key::{AsKey, Place};
use crate::limit::Limit;
use crate::store::{Decisions, Mode};
use std::future::Future;

impl RateLimiter {
    /// Takes one unit of a limit, if it is free. It never waits for a turn.
    ///
    /// Nothing happens before the future is polled. If it is dropped before it is ready, the unit may have been
    /// taken or not.
    ///
    /// # Errors
    ///
    /// When no decision could be made: a store that is ill under [`OnError::Deny`](crate::OnError::Deny), a wrong configuration, a key
    /// without identity ([`ErrorKind::NoIdentity`]), or a concurrency limit, whose units are held
    /// ([`permit`](Self::permit)). A refusal is no error.
    pub fn check(
        &self,
        limit: &Limit,
        key: impl AsKey,
    ) -> impl Future<Output = Result<Decision, Error>> + Send {
        self.check_cost(limit, key, 1)
    }

    /// Takes `cost` units of a limit, or none. A cost of zero is answered and takes nothing; one above the
    /// limit's [`capacity`](Limit::capacity) is refused for good (`retry_after` is `None`).
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    pub fn check_cost(
        &self,
        limit: &Limit,
        key: impl AsKey,
        cost: u32,
    ) -> impl Future<Output = Result<Decision, Error>> + Send {
        let mut question = Question::of(self, limit, &key, cost);
        async move {
            let question = question.as_mut().map_err(|error| error.clone())?;
            self.learn_overrides().await;
            let request = question.spends(self)?;
            first(&self.decide_kept(Mode::Check, &[request]).await?.decisions)
        }
    }

    /// Takes units of several limits, of all or of none, in one decision: the call may go on if all are allowed. Each
    /// comes with its key and its cost.
    ///
    /// The decisions are in the order of the limits. Where one refuses, those of the others say what they would have
    /// been. The keys are not those of the same limits alone, see [`Key::in_stack`](crate::Key::in_stack).
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), ratelimit::Error> {
    /// use ratelimit::{Decision, Key, Limit, RateLimiter};
    /// use std::time::Duration;
    ///
    /// const PER_SECOND: Limit = Limit::counter(2, Duration::from_secs(1));
    /// const PER_DAY: Limit = Limit::counter(1000, Duration::from_secs(86_400));
    ///
    /// let limiter = RateLimiter::in_memory();
    /// let search = Key::new("search").by("user 7");
    /// let decisions = limiter.check_all(&[(&PER_SECOND, search, 1), (&PER_DAY, search, 1)]).await?;
    /// assert!(decisions.iter().all(Decision::allowed));
    /// assert_eq!(decisions[1].remaining(), 999);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check), and [`ErrorKind::Configuration`] for a limit that is given twice.
    pub fn check_all<K: AsKey>(
        &self,
        stack: &[(&Limit, K, u32)],
    ) -> impl Future<Output = Result<Decisions, Error>> + Send + use<K> {
        let limiter = self.clone();
        let questions: Result<Vec<Question>, Error> = stack
            .iter()
            .map(|(limit, key, cost)| {
                let question = Question::of(self, limit, key, *cost)?;
                let in_stack = stack.len() > 1 || question.place.in_stack;
                Ok(Question { place: Place { in_stack, ..question.place }, ..question })
            })
            .collect();
        async move {
            limiter.learn_overrides().await;
            let resolve = |question: Question| spent(question.resolve(&limiter));
            let stack: Stack = questions?.into_iter().map(resolve).collect::<Result<_, Error>>()?;
            Ok(limiter.decide_kept(Mode::Check, &joined(stack.iter().map(Asked::request))).await?.decisions)
        }
    }

    /// What [`check`](Self::check) would answer now, without taking anything; of a concurrency limit what
    /// [`permit`](Self::permit) would.
    ///
    /// # Errors
    ///
    /// When the store cannot answer, whatever the failure policy.
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

    /// Forgets what is in use of a limit under a key: the next call finds it untouched. Permits that are held are
    /// forgotten too, and their holders run on.
    ///
    /// # Errors
    ///
    /// When the store cannot answer, whatever the failure policy.
    pub fn reset(&self, limit: &Limit, key: impl AsKey) -> impl Future<Output = Result<(), Error>> + Send {
        let (limiter, question) = (self.clone(), Question::of(self, limit, &key, 1));
        async move {
            let asked = limiter.resolve(question?).await;
            limiter.shared.on_lease.forget(asked.key.as_store_key().as_bytes());
            let key = asked.key.as_store_key();
            let _forgetting = Forgetting::start(&limiter, std::iter::once(&key));
            let reply = limiter.shared.store.reset(&[key]);
            limiter.within_deadline(reply).await
        }
    }
}

/// A limit whose units are spent, not held.
pub(super) fn spent(asked: Asked) -> Result<Asked, Error> {
    is_spent(&asked.limit)?;
    Ok(asked)
}

fn first(decisions: &Decisions) -> Result<Decision, Error> {
    decisions.first().copied().ok_or_else(unanswered)
}

pub(super) fn unanswered() -> Error {
    Error::new(ErrorKind::Configuration, "the store has answered nothing")
}

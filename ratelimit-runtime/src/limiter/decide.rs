//! Asking the store under a deadline, and what the failure policy makes of its errors.

use super::deny_cache::Forgetting;
use super::lease::is_leased;
use super::{FAR, OnError, RateLimiter};
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::store::memory::MemoryStore;
use crate::store::{Adjusted, Adjustment, Answer, Change, Decisions, Mode, PendingReply, Reply, Request};
use smallvec::SmallVec;
use std::time::Duration;
use tokio::time::Instant;

/// Who has decided, and keeps what was charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    Store,
    /// The memory of this process, while the store is away.
    Local,
    /// The failure policy: nothing was charged.
    Nobody,
}

/// The decisions on a stack, and who has made them.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) decisions: Decisions,
    pub(crate) source: Source,
}

impl Outcome {
    /// That of a call without a limit.
    pub(crate) fn of_nobody() -> Self {
        Self { decisions: Decisions::new(), source: Source::Nobody }
    }

    /// The position of the refusal with the longest wait, if there is one.
    pub(crate) fn refused(&self) -> Option<usize> {
        let wait = |decision: &Decision| decision.retry_after().unwrap_or(Duration::MAX);
        let refused = self.decisions.iter().enumerate().filter(|(_, decision)| !decision.allowed());
        // Of equal ones the first.
        refused.rev().max_by_key(|(_, decision)| wait(decision)).map(|(at, _)| at)
    }
}

/// A decision that was asked for.
pub(super) enum Begun {
    Decided(Result<Outcome, Error>),
    /// The lease of the key is refilled.
    Leasing(Reply<Outcome>),
    /// The store has to be waited for.
    Deciding(PendingReply<Decisions>),
}

impl RateLimiter {
    /// Decides requests under the failure policy. What needs no waiting is decided before this returns.
    pub(crate) fn decide(&self, mode: Mode, requests: SmallVec<[Request; 1]>) -> Reply<Outcome> {
        let begun = match requests.as_slice() {
            [request] => self.begin(mode, &[request]),
            requests => self.begin(mode, &references(requests)),
        };
        match begun {
            Begun::Decided(outcome) => Reply::ready(outcome),
            Begun::Leasing(reply) => reply,
            Begun::Deciding(deciding) => {
                let (limiter, sent) = (self.clone(), Instant::now());
                Reply::pending(
                    async move { limiter.finish(sent, deciding, mode, &references(&requests)).await },
                )
            }
        }
    }

    /// As [`decide`](Self::decide), for a caller that keeps the requests until they are decided.
    pub(super) async fn decide_kept(&self, mode: Mode, requests: &[&Request]) -> Result<Outcome, Error> {
        match self.begin(mode, requests) {
            Begun::Decided(outcome) => outcome,
            Begun::Leasing(reply) => reply.await,
            // On the heap, so that the future of a store that needs no waiting stays small.
            Begun::Deciding(deciding) => {
                Box::pin(self.finish(Instant::now(), deciding, mode, requests)).await
            }
        }
    }

    fn begin(&self, mode: Mode, requests: &[&Request]) -> Begun {
        if is_leased(mode, requests)
            && let Some(begun) = self.decide_by_lease(requests[0])
        {
            return begun;
        }
        if let Some(refusal) = self.shared.deny_cache.as_ref().and_then(|cache| cache.refusal(requests)) {
            return Begun::Decided(Ok(Outcome { decisions: Decisions::one(refusal), source: Source::Store }));
        }
        match self.shared.store.decide(mode, requests).into_answer() {
            Answer::Ready(answer) => {
                Begun::Decided(self.conclude(answer.unwrap_or_else(|| Err(nothing())), mode, requests))
            }
            Answer::Pending(deciding) => Begun::Deciding(deciding),
        }
    }

    /// Starts in this runtime the background tasks that another runtime has not kept going.
    pub(super) fn take_over_tasks(&self, now: Instant) {
        self.take_over_watch(now);
        self.shared.renewals.take_over(self, now);
    }

    async fn finish(
        &self,
        sent: Instant,
        deciding: PendingReply<Decisions>,
        mode: Mode,
        requests: &[&Request],
    ) -> Result<Outcome, Error> {
        self.take_over_tasks(sent);
        let answer = self.until_deadline(sent, deciding).await;
        if let (Some(cache), Ok(decisions)) = (&self.shared.deny_cache, &answer) {
            cache.note(sent, requests, decisions);
        }
        self.conclude(answer, mode, requests)
    }

    /// Changes what was charged, where it was charged.
    pub(crate) fn adjust(&self, source: Source, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        match source {
            Source::Store => self.adjust_store(adjustments),
            Source::Local => Reply::ready(self.local().adjust_now(adjustments)),
            Source::Nobody => Reply::ready(Ok(adjustments.iter().map(|_| 0).collect())),
        }
    }

    fn adjust_store(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        let given = adjustments
            .iter()
            .filter(|given| matches!(given.change(), Change::Give(_)) && !given.limit().is_concurrency());
        let forgetting = Forgetting::start(self, given.map(Adjustment::key));
        match (self.shared.store.adjust(adjustments).into_answer(), forgetting) {
            (Answer::Pending(adjusting), Some(forgetting)) => Reply::pending(async move {
                let _forgetting = forgetting;
                adjusting.await
            }),
            (answer, _) => answer.into(),
        }
    }

    pub(crate) async fn within_deadline<T: Unpin>(&self, reply: Reply<T>) -> Result<T, Error> {
        match reply.into_answer() {
            Answer::Ready(answer) => answer.unwrap_or_else(|| Err(nothing())),
            Answer::Pending(reply) => self.until_deadline(Instant::now(), reply).await,
        }
    }

    /// The answer to what was asked at `asked`, or an error when the deadline has passed.
    pub(super) async fn until_deadline<T>(
        &self,
        asked: Instant,
        mut reply: PendingReply<T>,
    ) -> Result<T, Error> {
        Error::unless_runtime()?;
        let deadline = asked + self.shared.deadline.min(FAR);
        if let Ok(answer) = tokio::time::timeout_at(deadline, &mut reply).await {
            return answer;
        }
        reply.missed_deadline(self.shared.deadline);
        Err(self.too_late())
    }

    fn too_late(&self) -> Error {
        Error::new(
            ErrorKind::Timeout,
            format!("the store has not answered within {:?}", self.shared.deadline),
        )
    }

    /// Decides while the store cannot; made when it is first needed.
    fn local(&self) -> &MemoryStore {
        self.shared.local.get_or_init(MemoryStore::new)
    }

    /// The store's decisions, or what the failure policy makes of an error.
    pub(super) fn conclude(
        &self,
        answer: Result<Decisions, Error>,
        mode: Mode,
        requests: &[&Request],
    ) -> Result<Outcome, Error> {
        let answer =
            answer.and_then(
                |decisions| {
                    if decisions.len() == requests.len() { Ok(decisions) } else { Err(nothing()) }
                },
            );
        let error = match answer {
            Ok(decisions) => {
                self.shared.outage.answered();
                return Ok(Outcome { decisions, source: Source::Store });
            }
            Err(error) => error,
        };
        if !error.is_transient() {
            return Err(error);
        }
        self.shared.outage.failed(&error);
        match self.on_error {
            OnError::Deny => Err(error),
            OnError::Allow => {
                let allow = |request: &&Request| {
                    Decision::allow(request.limit(), request.limit().capacity(), Duration::ZERO)
                };
                Ok(Outcome { decisions: requests.iter().map(allow).collect(), source: Source::Nobody })
            }
            OnError::Local => {
                Ok(Outcome { decisions: self.local().decide_now(mode, requests)?, source: Source::Local })
            }
        }
    }
}

fn references(requests: &[Request]) -> SmallVec<[&Request; 2]> {
    requests.iter().collect()
}

fn nothing() -> Error {
    Error::new(ErrorKind::Configuration, "the store has not answered all requests")
}

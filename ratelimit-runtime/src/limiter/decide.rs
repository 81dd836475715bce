//! Asking the store under a deadline, and what the failure policy makes of its errors.

use super::denied::Forgetting;
use super::lease::is_leased;
use super::{FAR, OnError, RateLimiter};
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::store::memory::MemoryStore;
use crate::store::{
    Adjusted, Adjustment, Answer, Change, Decisions, Mode, OwnedRequest, PendingReply, Reply, Request,
};
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

/// A question that was put.
enum Begun {
    Told(Reply<Outcome>),
    /// The store needs waiting for.
    Waits(PendingReply<Decisions>),
}

impl RateLimiter {
    /// Decides requests under the failure policy. What needs no waiting is decided before this returns.
    pub(crate) fn decide(&self, mode: Mode, requests: &[Request<'_>]) -> Reply<Outcome> {
        match self.begin(mode, requests) {
            Begun::Told(reply) => reply,
            Begun::Waits(deciding) => {
                let (limiter, asked) = (self.clone(), Instant::now());
                let owned: SmallVec<[OwnedRequest; 1]> = requests.iter().map(OwnedRequest::of).collect();
                Reply::pending(async move {
                    let requests: SmallVec<[Request<'_>; 1]> =
                        owned.iter().map(OwnedRequest::request).collect();
                    limiter.finish(asked, deciding, mode, &requests).await
                })
            }
        }
    }

    /// As [`decide`](Self::decide), where the requests stay until they are decided: nothing is copied.
    pub(super) async fn decide_kept(&self, mode: Mode, requests: &[Request<'_>]) -> Result<Outcome, Error> {
        match self.begin(mode, requests) {
            Begun::Told(reply) => reply.await,
            // On the heap, so that little is moved where there is nothing to wait for.
            Begun::Waits(deciding) => Box::pin(self.finish(Instant::now(), deciding, mode, requests)).await,
        }
    }

    fn begin(&self, mode: Mode, requests: &[Request<'_>]) -> Begun {
        if is_leased(mode, requests)
            && let Some(reply) = self.decide_by_lease(&requests[0])
        {
            return Begun::Told(reply);
        }
        if let Some(refusal) = self.shared.denied.as_ref().and_then(|denied| denied.answer(requests)) {
            let outcome = Outcome { decisions: Decisions::one(refusal), source: Source::Store };
            return Begun::Told(Reply::ready(Ok(outcome)));
        }
        match self.shared.store.decide(mode, requests).into_answer() {
            Answer::Ready(answer) => {
                let answer = answer.unwrap_or_else(|| Err(nothing()));
                Begun::Told(Reply::ready(self.conclude(answer, mode, requests)))
            }
            Answer::Pending(deciding) => Begun::Waits(deciding),
        }
    }

    /// Starts in this runtime what another one has not kept going.
    pub(super) fn take_over_tasks(&self, now: Instant) {
        self.take_over_watch(now);
        self.shared.renewals.take_over(self, now);
    }

    async fn finish(
        &self,
        asked: Instant,
        deciding: PendingReply<Decisions>,
        mode: Mode,
        requests: &[Request<'_>],
    ) -> Result<Outcome, Error> {
        self.take_over_tasks(asked);
        let answer = self.until_deadline(asked, deciding).await;
        if let (Some(denied), Ok(decisions)) = (&self.shared.denied, &answer) {
            denied.note(asked, requests, decisions);
        }
        self.conclude(answer, mode, requests)
    }

    /// Changes what was charged, where it was charged.
    pub(crate) fn adjust(&self, source: Source, adjustments: &[Adjustment<'_>]) -> Reply<Adjusted> {
        match source {
            Source::Store => self.adjust_store(adjustments),
            Source::Local => Reply::ready(self.local().adjust_now(adjustments)),
            Source::Nobody => Reply::ready(Ok(adjustments.iter().map(|_| 0).collect())),
        }
    }

    fn adjust_store(&self, adjustments: &[Adjustment<'_>]) -> Reply<Adjusted> {
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
        requests: &[Request<'_>],
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
                let allow = |request: &Request<'_>| {
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

fn nothing() -> Error {
    Error::new(ErrorKind::Configuration, "the store has not answered all requests")
}

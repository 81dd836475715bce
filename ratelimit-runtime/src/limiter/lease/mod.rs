//! Units that this process has taken in advance, and hands out without asking the store.

mod giving_back;
mod held;
mod table;
#[cfg(test)]
mod tests;

pub(super) use table::OnLease;

use super::RateLimiter;
use super::decide::{Outcome, Source};
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::store::{Decisions, Mode, OwnedRequest, Reply, Request};
use held::Lease;
use smallvec::smallvec;
use std::task::{Context, Poll, Waker};
use tokio::sync::MutexGuard;
use tokio::time::Instant;

/// Whether a call may be answered from a lease.
pub(super) fn is_leased(mode: Mode, requests: &[Request<'_>]) -> bool {
    let [request] = requests else { return false };
    mode == Mode::Check && (1..=request.limit().largest_lease()).contains(&request.cost())
}

impl RateLimiter {
    /// Decides from what is on lease, or takes a lease. None if there is no room for one.
    pub(super) fn decide_by_lease(&self, request: &Request<'_>) -> Option<Reply<Outcome>> {
        let shared = self.shared.on_lease.of(request)?;
        match shared.lease.try_lock() {
            Ok(mut lease) if lease.limit == *request.limit() => {
                if let Some(decision) = lease.take(request.cost()).or_else(|| lease.refusal(request.cost())) {
                    let outcome = Outcome { decisions: smallvec![decision], source: Source::Store };
                    return Some(Reply::ready(Ok(outcome)));
                }
                if lease.is_dry() {
                    return None;
                }
            }
            // What is on its way would not be enough for all who wait.
            Err(_) if shared.waiting() >= request.limit().largest_lease() => return None,
            Ok(_) | Err(_) => {}
        }
        let (limiter, owned) = (self.clone(), OwnedRequest::of(request));
        let mut taken = Box::pin(async move {
            let request = owned.request();
            let lease = shared.turn(request.cost()).await;
            limiter.take_lease(lease, shared.waiting(), &request).await.map(|decision| smallvec![decision])
        });
        // A store in this process answers at once, with a runtime or without.
        if let Poll::Ready(answer) = taken.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return Some(Reply::ready(self.conclude(answer, Mode::Check, &[*request])));
        }
        let (limiter, owned) = (self.clone(), OwnedRequest::of(request));
        Some(Reply::pending(async move {
            let (answer, request) = (limiter.within_deadline(Reply::Pending(taken)).await, owned.request());
            limiter.note_missed(&answer, &[request]);
            limiter.conclude(answer, Mode::Check, &[request])
        }))
    }

    /// Asks for as many units as are of use, and for fewer if there are not so many.
    async fn take_lease(
        &self,
        mut lease: MutexGuard<'_, Lease>,
        waiting: u32,
        request: &Request<'_>,
    ) -> Result<Decision, Error> {
        let (limit, cost) = (*request.limit(), request.cost());
        self.return_unused_units();
        if lease.limit != limit {
            let (old, unused) = (lease.limit, lease.give_up());
            self.give_lease_back(request.key().as_bytes(), &old, unused);
            *lease = Lease::new(limit);
        }
        // Somebody else may have taken one meanwhile.
        if let Some(decision) = lease.take(cost).or_else(|| lease.refusal(cost)) {
            return Ok(decision);
        }
        if lease.is_dry() {
            drop(lease);
            return Ok(self.ask_one(Mode::Check, *request).await?.decision);
        }
        let outdated = lease.outdated();
        self.give_lease_back(request.key().as_bytes(), &limit, outdated);
        let (mut units, mut fewer) = (lease.wanted(cost, waiting), None);
        loop {
            let sent = Instant::now();
            // A call that takes nothing in advance has nothing to give back.
            let mode = if units == cost { Mode::Check } else { Mode::Charge };
            let asked = Request::new(*request.key(), &limit, units);
            let Answer { decision, far } = self.ask_one(mode, asked).await?;
            if units == cost {
                return Ok(if decision.allowed() {
                    lease.go_past(cost, &decision, sent);
                    if let Some((wanted, refusal)) = fewer.filter(|_| far) {
                        lease.fell_short(wanted - units, &refusal);
                    }
                    decision
                } else {
                    let refusal = lease.refused(decision, sent, far);
                    self.note_refusal(far, sent, request, refusal);
                    refusal
                });
            }
            if decision.allowed() {
                lease.fill(units, cost, &decision, sent);
                if let Some((wanted, refusal)) = fewer.filter(|_| far) {
                    lease.fell_short(wanted - units, &refusal);
                }
                return Ok(lease.decision());
            }
            // Then what is left, and at last the call's own cost, whose refusal says when to come again.
            units = if fewer.is_some() { cost } else { decision.remaining().max(cost) };
            fewer = fewer.or(Some((asked.cost(), decision)));
        }
    }

    fn note_refusal(&self, far: bool, asked: Instant, request: &Request<'_>, refusal: Decision) {
        if let Some(denied) = self.shared.denied.as_ref().filter(|_| far) {
            denied.note(asked, &[*request], &[refusal]);
        }
    }

    async fn ask_one(&self, mode: Mode, request: Request<'_>) -> Result<Answer, Error> {
        let reply = self.shared.store.decide(mode, &[request]);
        let far = matches!(reply, Reply::Pending(_));
        let answer: Decisions = reply.await?;
        let unanswered = || Error::new(ErrorKind::Configuration, "the store has not answered a request");
        Ok(Answer { decision: *answer.first().ok_or_else(unanswered)?, far })
    }
}

/// What the store has answered, and whether it had to be waited for.
struct Answer {
    decision: Decision,
    far: bool,
}

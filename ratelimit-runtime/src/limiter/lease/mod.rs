//! Units that this process has taken in advance, and hands out without asking the store.

mod fetch;
mod table;
#[cfg(test)]
mod tests;
mod units;
mod unused;

pub(super) use table::Leases;

use super::RateLimiter;
use super::decide::{Begun, Outcome, Source};
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::store::{Answer, Awaited, Decisions, Mode, Reply, Request};
use fetch::{Fetch, Fetched, Registered, TooFew};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use table::{Alone, FetchUnderWay, KeyLease, Waits};
use tokio::time::Instant;

/// The most fetches that one call waits for. Other calls may take the units, or the units may be outdated on arrival.
const FETCHES: u32 = 2;

/// Whether a call may be answered from a lease.
pub(super) fn is_leased(mode: Mode, requests: &[&Request]) -> bool {
    let [request] = requests else { return false };
    mode == Mode::Check && (1..=request.limit().largest_lease()).contains(&request.cost())
}

/// What a call has learned from the fetches that it has waited for.
#[derive(Clone, Copy, Default)]
struct Tried {
    fetches: u32,
    too_few: Option<TooFew>,
}

/// How a call goes on.
enum Step {
    Told(Decision),
    /// It waits for the units that are on their way.
    Waits(Arc<FetchUnderWay>, Waits),
    /// It asks the store for what it costs, with the refusal of an earlier fetch.
    Alone(Alone, Option<TooFew>),
    /// It asks the store as if there were no lease.
    Plain,
    Failed(Error),
}

impl RateLimiter {
    /// Decides by leased units, or fetches some. `None` if the store is to be asked as if there were no lease.
    pub(super) fn decide_by_lease(&self, request: &Request) -> Option<Begun> {
        let lease = self.shared.leases.of(request)?;
        let mut tried = Tried::default();
        let step = match self.step(&lease, request, &mut tried) {
            Step::Told(decision) => {
                let outcome = Outcome { decisions: Decisions::one(decision), source: Source::Store };
                return Some(Begun::Decided(Ok(outcome)));
            }
            Step::Plain => return None,
            step => step,
        };
        let awaited = Arc::new(Awaited::default());
        let observer = Arc::clone(&awaited);
        let (limiter, asked) = (self.clone(), request.clone());
        let mut taken = Box::pin(async move {
            limiter.go_on(&lease, &asked, step, tried, &awaited).await.map(Decisions::one)
        });
        // A store in this process answers at once, with a runtime or without.
        if let Poll::Ready(answer) = taken.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return Some(Begun::Decided(self.conclude(answer, Mode::Check, &[request])));
        }
        let (limiter, asked) = (self.clone(), request.clone());
        Some(Begun::Leasing(Reply::pending(async move {
            let reply = Reply::pending(taken).observed_by(observer);
            limiter.conclude(limiter.within_deadline(reply).await, Mode::Check, &[&asked])
        })))
    }

    /// Takes units that are here, or begins to fetch some.
    fn step(&self, lease: &Arc<KeyLease>, request: &Request, tried: &mut Tried) -> Step {
        let (limit, cost) = (request.limit(), request.cost());
        let runtime = tokio::runtime::Handle::try_current().ok();
        loop {
            let mut state = lease.lock();
            if state.lease.limit != *limit {
                let (old, unused) = (state.lease.limit, state.restart(*limit));
                self.return_units(request.key(), &old, unused);
            }
            if let Some(decision) = state.lease.take(cost).or_else(|| state.lease.refusal(cost)) {
                return Step::Told(decision);
            }
            self.return_unused_units();
            self.take_over_tasks(Instant::now());
            if state.lease.is_dry() {
                return Step::Plain;
            }
            if tried.too_few.is_some() || tried.fetches >= FETCHES {
                return Step::Alone(lease.ask_alone(state.epoch), tried.too_few);
            }
            if let Some(under_way) = runtime.as_ref().and_then(|runtime| state.fetch(runtime.id())) {
                // What is on its way would not be enough for all that wait, or the store is slow and has to be asked to
                // find that out.
                let is_late = under_way.began.elapsed() >= self.shared.deadline;
                if is_late || lease.waiting() >= limit.largest_lease() {
                    return Step::Plain;
                }
                tried.fetches += 1;
                return Step::Waits(under_way, lease.wait_for(cost));
            }
            let outdated = state.lease.outdated();
            self.return_units(request.key(), limit, outdated);
            // Another call asks alone: a fetch serves both.
            let others = if lease.is_asked_for() { cost } else { 0 };
            // All runtimes together take at most one lease.
            let most = limit.largest_lease().saturating_sub(state.on_the_way());
            let units = state.lease.wanted(cost, lease.waiting().saturating_add(others)).min(most);
            if units <= cost {
                return Step::Alone(lease.ask_alone(state.epoch), None);
            }
            let fetch = Fetch::new(self, lease, request, units, state.epoch);
            let registered = runtime.as_ref().map(|runtime| {
                let (sender, under_way) = state.begin_fetch(runtime.id(), units);
                (Registered::new(lease, runtime.clone(), sender), under_way)
            });
            drop(state);
            match fetch.begin(registered) {
                Fetched::UnderWay => {}
                Fetched::Units => tried.fetches += 1,
                Fetched::TooFew(too_few) => tried.too_few = Some(too_few),
                Fetched::Failed(error) => return Step::Failed(error),
            }
        }
    }

    /// Waits for units and takes them, or asks the store.
    async fn go_on(
        &self,
        lease: &Arc<KeyLease>,
        request: &Request,
        mut step: Step,
        mut tried: Tried,
        awaited: &Awaited,
    ) -> Result<Decision, Error> {
        loop {
            step = match step {
                Step::Told(decision) => return Ok(decision),
                Step::Failed(error) => return Err(error),
                Step::Plain => return Ok(self.ask_one(request, awaited).await?.decision),
                Step::Alone(alone, too_few) => {
                    return self.ask_alone(lease, request, alone, too_few, awaited).await;
                }
                Step::Waits(under_way, _waits) => {
                    let mut fetched = under_way.fetched.clone();
                    awaited.set(under_way);
                    let is_ended = |fetched: &Fetched| !matches!(fetched, Fetched::UnderWay);
                    match fetched.wait_for(is_ended).await.as_deref() {
                        Ok(Fetched::Failed(error)) => return Err(error.clone()),
                        Ok(Fetched::TooFew(too_few)) => tried.too_few = Some(*too_few),
                        _ => {}
                    }
                    self.step(lease, request, &mut tried)
                }
            }
        }
    }

    /// Asks for exactly what the call costs: a call that takes nothing in advance has nothing to give back.
    async fn ask_alone(
        &self,
        lease: &Arc<KeyLease>,
        request: &Request,
        alone: Alone,
        too_few: Option<TooFew>,
        awaited: &Awaited,
    ) -> Result<Decision, Error> {
        let sent = Instant::now();
        let Told { decision, far } = self.ask_one(request, awaited).await?;
        let mut state = lease.lock();
        if state.epoch != alone.epoch {
            return Ok(decision);
        }
        if !decision.allowed() {
            let refusal = state.lease.refused(decision, sent, far);
            drop(state);
            if let Some(cache) = self.shared.deny_cache.as_ref().filter(|_| far) {
                cache.note(sent, &[request], &[refusal]);
            }
            return Ok(refusal);
        }
        state.lease.go_past(request.cost(), &decision, sent);
        if let Some(too_few) = too_few.filter(|_| far) {
            state.lease.fell_short(too_few.wanted.saturating_sub(request.cost()), &too_few.refusal);
        }
        Ok(decision)
    }

    async fn ask_one(&self, request: &Request, awaited: &Awaited) -> Result<Told, Error> {
        let reply = self.shared.store.decide(Mode::Check, &[request]).into_answer();
        let far = matches!(reply, Answer::Pending(_));
        if let Answer::Pending(reply) = &reply
            && let Some(observer) = reply.observer()
        {
            awaited.set(observer);
        }
        let answer: Decisions = Reply::from(reply).await?;
        let unanswered = || Error::new(ErrorKind::Configuration, "the store has not answered a request");
        Ok(Told { decision: *answer.first().ok_or_else(unanswered)?, far })
    }
}

/// What the store has answered, and whether it had to be waited for.
struct Told {
    decision: Decision,
    far: bool,
}

//! Leases of units: a process takes units in advance and hands them out without asking the store.

mod fetch;
mod key_lease;
mod table;
#[cfg(test)]
mod tests;
mod units;
mod unused;

pub(super) use table::Leases;

use super::RateLimiter;
use super::decided::{Decided, Source, invalid_reply};
use crate::decision::Decision;
use crate::error::Error;
use crate::observe::store_replied;
use crate::store::{Awaited, Decisions, Mode, Reply, ReplyKind, Request};
use fetch::{Fetch, Registration};
use key_lease::{FetchState, FetchUnderWay, KeyLease, OwnRequest, TooFew, WaitingCall};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use tokio::time::Instant;

/// The most fetches that one call waits for. A call may need several, because other calls may take the units, or the units
/// may be outdated on arrival.
const MOST_FETCHES: u32 = 2;

/// Whether a call may use leased units.
#[inline]
pub(super) fn is_leased(mode: Mode, requests: &[&Request]) -> bool {
    let [request] = requests else { return false };
    mode == Mode::Check && (1..=request.limit().largest_lease()).contains(&request.cost())
}

/// The results of the fetches that a call has waited for.
#[derive(Clone, Copy, Default)]
struct Tried {
    fetches: u32,
    too_few: Option<TooFew>,
}

/// The next step of a call.
enum Step {
    Decided(Decision),
    /// The call waits for a fetch.
    Wait(Arc<FetchUnderWay>, WaitingCall),
    /// The call requests its own units. Contains the refusal of an earlier fetch.
    RequestOwn(OwnRequest, Option<TooFew>),
    /// The call asks the store as if there were no lease.
    WithoutLease,
    Failed(Error),
}

impl RateLimiter {
    /// Decides a call that has found no leased units, which it fetches. Returns `None` if the call asks the store as if there were
    /// no lease.
    pub(super) fn decide_by_lease(&self, request: &Request) -> Option<Reply<Decided>> {
        let lease = self.shared.leases.get_or_insert(request)?;
        let mut tried = Tried::default();
        let step = match self.step(&lease, request, &mut tried) {
            Step::Decided(decision) => {
                let decided = Decided { decisions: Decisions::one(decision), source: Source::Store };
                return Some(Reply::ready(Ok(decided)));
            }
            Step::WithoutLease => return None,
            step => step,
        };
        let awaited = Arc::new(Awaited::default());
        let observer = Arc::clone(&awaited);
        let (limiter, owned) = (self.clone(), request.clone());
        let mut decided = Box::pin(async move {
            limiter.run_steps(&lease, &owned, step, tried, &awaited).await.map(Decisions::one)
        });
        // A store in this process replies at once, with or without a runtime.
        if let Poll::Ready(decided) = decided.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return Some(Reply::ready(self.conclude(decided, Mode::Check, &[request])));
        }
        let (limiter, owned) = (self.clone(), request.clone());
        Some(Reply::pending(async move {
            let (reply, sent) = (Reply::pending(decided).observed_by(observer), Instant::now());
            let decided = limiter.within_deadline(reply).await;
            store_replied(sent);
            limiter.conclude(decided, Mode::Check, &[&owned])
        }))
    }

    /// Takes leased units, or begins to fetch some.
    fn step(&self, lease: &Arc<KeyLease>, request: &Request, tried: &mut Tried) -> Step {
        let (limit, cost) = (request.limit(), request.cost());
        loop {
            let mut state = lease.lock();
            if state.units.limit != *limit {
                let (old, unused) = (state.units.limit, state.restart(*limit));
                self.return_units(request.key(), &old, unused);
            }
            if let Some(decision) = state.units.take(cost).or_else(|| state.units.refusal(cost)) {
                return Step::Decided(decision);
            }
            self.start_returning();
            self.take_over_tasks(Instant::now());
            if state.units.is_exhausted() {
                return Step::WithoutLease;
            }
            if tried.too_few.is_some() || tried.fetches >= MOST_FETCHES {
                return Step::RequestOwn(lease.begin_own_request(state.epoch), tried.too_few);
            }
            // Only here: the handle is shared by all threads of the runtime, and most calls find units above.
            let runtime = tokio::runtime::Handle::try_current().ok();
            if let Some(under_way) = runtime.as_ref().and_then(|runtime| state.fetch(runtime.id())) {
                // Do not wait if the waiting calls already need the largest lease. Do not wait for a late fetch either: the
                // call's own request tells whether the store is slow.
                let is_late = under_way.began.elapsed() >= self.shared.deadline;
                if is_late || lease.waiting_units() >= limit.largest_lease() {
                    return Step::WithoutLease;
                }
                tried.fetches += 1;
                return Step::Wait(under_way, lease.wait_for(cost));
            }
            let outdated = state.units.outdated();
            self.return_units(request.key(), limit, outdated);
            // While another call of this key requests its own units, the fetch includes one more call of this cost.
            let expected = if lease.has_own_requests() { cost } else { 0 };
            // All runtimes together fetch at most one largest lease.
            let most = limit.largest_lease().saturating_sub(state.being_fetched());
            let units = state.units.wanted(cost, lease.waiting_units().saturating_add(expected)).min(most);
            if units <= cost {
                return Step::RequestOwn(lease.begin_own_request(state.epoch), None);
            }
            let fetch = Fetch::new(self, lease, request, units, state.epoch);
            let registration = runtime.as_ref().map(|runtime| {
                let (sender, under_way) = state.begin_fetch(runtime.id(), units);
                (Registration::new(lease, runtime.clone(), sender), under_way)
            });
            drop(state);
            match fetch.begin(registration) {
                FetchState::UnderWay => {}
                FetchState::Units => tried.fetches += 1,
                FetchState::TooFew(too_few) => tried.too_few = Some(too_few),
                FetchState::Failed(error) => return Step::Failed(error),
            }
        }
    }

    /// Runs the steps of a call until it is decided.
    async fn run_steps(
        &self,
        lease: &Arc<KeyLease>,
        request: &Request,
        mut step: Step,
        mut tried: Tried,
        awaited: &Awaited,
    ) -> Result<Decision, Error> {
        loop {
            step = match step {
                Step::Decided(decision) => return Ok(decision),
                Step::Failed(error) => return Err(error),
                Step::WithoutLease => return Ok(self.ask_one(request, awaited).await?.decision),
                Step::RequestOwn(own_request, too_few) => {
                    return self.request_own_units(lease, request, own_request, too_few, awaited).await;
                }
                Step::Wait(under_way, _waiting) => {
                    let mut fetch = under_way.state.clone();
                    awaited.set(under_way);
                    let is_ended = |state: &FetchState| !matches!(state, FetchState::UnderWay);
                    match fetch.wait_for(is_ended).await.as_deref() {
                        Ok(FetchState::Failed(error)) => return Err(error.clone()),
                        Ok(FetchState::TooFew(too_few)) => tried.too_few = Some(*too_few),
                        _ => {}
                    }
                    self.step(lease, request, &mut tried)
                }
            }
        }
    }

    /// Requests exactly the cost of the call, so that the call never has unused units to return.
    async fn request_own_units(
        &self,
        lease: &Arc<KeyLease>,
        request: &Request,
        own_request: OwnRequest,
        too_few: Option<TooFew>,
        awaited: &Awaited,
    ) -> Result<Decision, Error> {
        let sent = Instant::now();
        let StoreDecision { decision, from_remote_store } = self.ask_one(request, awaited).await?;
        let mut state = lease.lock();
        if state.epoch != own_request.epoch {
            return Ok(decision);
        }
        if !decision.allowed() {
            let refusal = state.units.note_refusal(decision, sent, from_remote_store);
            drop(state);
            if let Some(cache) = self.shared.deny_cache.as_ref().filter(|_| from_remote_store) {
                cache.note(sent, &[request], &[refusal]);
            }
            return Ok(refusal);
        }
        state.units.note_own_charge(request.cost(), &decision, sent);
        if let Some(too_few) = too_few.filter(|_| from_remote_store) {
            state.units.note_shortage(too_few.wanted.saturating_sub(request.cost()), &too_few.refusal);
        }
        Ok(decision)
    }

    async fn ask_one(&self, request: &Request, awaited: &Awaited) -> Result<StoreDecision, Error> {
        let mut reply = self.shared.store.decide(Mode::Check, &[request]).into_kind();
        let from_remote_store = matches!(reply, ReplyKind::Pending(_));
        if let ReplyKind::Pending(pending) = &mut reply
            && let Some(observer) = pending.observer()
        {
            awaited.set(observer);
        }
        let decisions: Decisions = Reply::from(reply).await?;
        let decision = decisions.first().copied().ok_or_else(invalid_reply)?;
        Ok(StoreDecision { decision, from_remote_store })
    }
}

/// The store's decision about one request.
struct StoreDecision {
    decision: Decision,
    /// Whether the reply had to be awaited.
    from_remote_store: bool,
}

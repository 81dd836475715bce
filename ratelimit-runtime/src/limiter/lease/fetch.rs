//! `Fetch`: takes units from the store in advance. It runs in its own task, so a dropped call loses no units and delays no
//! other call.

use super::key_lease::Planned;
use super::table::LeaseId;
use super::under_way::{FetchState, FetchUnderWay, TooFew};
use crate::decision::Decision;
use crate::error::Error;
use crate::limiter::RateLimiter;
use crate::limiter::store_call::invalid_reply;
use crate::store::{Change, Decisions, Mode, PendingReply, Reply, Request};
use std::future::poll_fn;
use std::sync::Arc;
use tokio::runtime::{Handle, Id};

/// A fetch of units for one key.
pub(super) struct Fetch {
    limiter: RateLimiter,
    id: LeaseId,
    request: Request,
    units: u32,
    /// The lease's epoch when the fetch began.
    epoch: u64,
    /// When the request was sent, by the timer of all leases.
    sent: u64,
    too_few: Option<TooFew>,
}

/// The registration of a fetch in its lease. Dropping it ends the registration, and wakes the waiting calls.
struct Registration {
    limiter: RateLimiter,
    id: LeaseId,
    runtime: Id,
    under_way: Arc<FetchUnderWay>,
    ended: FetchState,
}

impl Fetch {
    /// Sends the request. A reply that is ready is received at once. Otherwise a task awaits it, in the runtime where
    /// the fetch is registered.
    pub(super) fn begin(
        limiter: &RateLimiter,
        id: LeaseId,
        request: &Request,
        planned: Planned,
    ) -> FetchState {
        let Planned { units, epoch, registered } = planned;
        let (limiter, request) = (limiter.clone(), request.clone());
        let registered = registered.map(|(runtime, under_way)| {
            let (limiter, ended) = (limiter.clone(), FetchState::Ended);
            (Registration { limiter, id, runtime: runtime.id(), under_way, ended }, runtime)
        });
        let mut fetch = Self { limiter, id, request, units, epoch, sent: 0, too_few: None };
        loop {
            match fetch.send() {
                Reply::Ready(decided) => {
                    if let Some(ended) = fetch.receive(decided, false) {
                        return ended;
                    }
                }
                Reply::Pending(reply) => {
                    return match registered {
                        Some((registration, runtime)) => fetch.spawn(reply, registration, &runtime),
                        None => FetchState::Failed(Error::runtime().err().unwrap_or_else(invalid_reply)),
                    };
                }
            }
        }
    }

    fn spawn(
        self,
        reply: PendingReply<Decisions>,
        mut registration: Registration,
        runtime: &Handle,
    ) -> FetchState {
        let counted = self.limiter.shared.tasks.count();
        runtime.spawn(async move {
            registration.ended = self.run(Reply::Pending(reply), &registration.under_way).await;
            // Ends the registration first, because `close` returns when no task is counted.
            drop(registration);
            drop(counted);
        });
        FetchState::UnderWay
    }

    async fn run(mut self, mut reply: Reply<Decisions>, under_way: &FetchUnderWay) -> FetchState {
        loop {
            let decided = match reply {
                Reply::Ready(decided) => decided,
                Reply::Pending(reply) => self.received(reply, under_way).await,
            };
            if let Some(ended) = self.receive(decided, true) {
                return ended;
            }
            reply = self.send();
        }
    }

    /// Awaits the reply, also after the deadline. The waiting calls then watch their own deadlines.
    async fn received(
        &self,
        reply: PendingReply<Decisions>,
        under_way: &FetchUnderWay,
    ) -> Result<Decisions, Error> {
        let mut until = self.limiter.shared.store.with_deadline(under_way.began, reply);
        if let Some(decided) = poll_fn(|context| until.poll_in_time(context)).await {
            return decided;
        }
        let mut late = until.into_reply();
        under_way.set(FetchState::Late(late.observer()));
        late.await
    }

    fn send(&mut self) -> Reply<Decisions> {
        self.sent = self.limiter.shared.leases.now();
        self.limiter.shared.store.bare().decide(Mode::Charge, &[&self.request.alone(self.units)])
    }

    /// Receives the store's reply. Returns `None` if the fetch is to be repeated with fewer units.
    fn receive(&mut self, decided: Result<Decisions, Error>, from_remote_store: bool) -> Option<FetchState> {
        let decision = decided.and_then(|decisions| decisions.first().copied().ok_or_else(invalid_reply));
        let decision = match decision {
            Ok(decision) => decision,
            Err(error) => return Some(FetchState::Failed(error)),
        };
        if decision.is_allowed() {
            self.fill(&decision, from_remote_store);
            return Some(FetchState::Ended);
        }
        // The first retry requests the units that are left, if these exceed the cost of the call. Otherwise the fetch ends,
        // and each call sends its own request.
        let left = if self.too_few.is_some() { 0 } else { decision.remaining().min(self.units) };
        let too_few = *self.too_few.get_or_insert(TooFew { wanted: self.units, refusal: decision });
        self.units = left;
        (left <= self.request.cost()).then_some(FetchState::TooFew(too_few))
    }

    /// Adds the units to the lease, or returns them to the store if the lease has restarted meanwhile.
    fn fill(&self, decision: &Decision, from_remote_store: bool) {
        let leases = &self.limiter.shared.leases;
        let now = leases.now();
        let filled = leases.with(self.id, |lease| {
            if !lease.is_of(self.epoch) {
                return false;
            }
            lease.units.fill(self.units, decision, self.sent, now);
            if let Some(too_few) = self.too_few.filter(|_| from_remote_store) {
                let missing = too_few.wanted.saturating_sub(self.units);
                lease.units.note_shortage(missing, &too_few.refusal, now);
            }
            true
        });
        if filled != Some(true) && decision.stamp() > 0 {
            let give = Change::Give(decision.stamp());
            self.limiter.return_units([self.request.adjustment(self.units, give)]);
        }
    }
}

impl Drop for Registration {
    /// `drop` also runs when the runtime shuts down.
    fn drop(&mut self) {
        // Ends the registration first, because a woken call may begin the next fetch.
        self.limiter.shared.leases.with(self.id, |lease| lease.end_fetch(self.runtime));
        self.under_way.set(std::mem::replace(&mut self.ended, FetchState::Ended));
    }
}

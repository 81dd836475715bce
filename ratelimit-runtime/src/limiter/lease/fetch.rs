//! `Fetch`: takes units from the store in advance. It runs in its own task, so a dropped call loses no units and delays no
//! other call.

use super::super::RateLimiter;
use super::super::decide::too_few_decisions;
use super::table::{FetchUnderWay, KeyLease};
use super::units::Unused;
use crate::decision::Decision;
use crate::error::Error;
use crate::store::{Answer, Decisions, Mode, Reply, Request};
use std::sync::Arc;
use tokio::runtime::{Handle, Id};
use tokio::sync::watch;
use tokio::time::Instant;

/// The result of a fetch.
#[derive(Clone, Debug)]
pub(super) enum Fetched {
    UnderWay,
    /// The units are in the lease.
    Units,
    /// The store had too few units, so each call sends its own request.
    TooFew(TooFew),
    Failed(Error),
}

/// The store's refusal of a fetch.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooFew {
    pub(super) wanted: u32,
    pub(super) refusal: Decision,
}

/// A fetch of units for one key.
pub(super) struct Fetch {
    limiter: RateLimiter,
    lease: Arc<KeyLease>,
    request: Request,
    units: u32,
    /// The lease's epoch when the fetch began.
    epoch: u64,
    sent: Instant,
    too_few: Option<TooFew>,
}

/// The registration of a fetch in its lease. Dropping it ends the registration.
pub(super) struct Registered {
    sender: watch::Sender<Fetched>,
    lease: Arc<KeyLease>,
    runtime: Handle,
}

impl Fetch {
    pub(super) fn new(
        limiter: &RateLimiter,
        lease: &Arc<KeyLease>,
        request: &Request,
        units: u32,
        epoch: u64,
    ) -> Self {
        Self {
            limiter: limiter.clone(),
            lease: Arc::clone(lease),
            request: request.clone(),
            units,
            epoch,
            sent: Instant::now(),
            too_few: None,
        }
    }

    /// Sends the request. A reply that is ready is received at once. Otherwise a task awaits it, in the runtime where
    /// the fetch is registered.
    pub(super) fn begin(mut self, registered: Option<(Registered, Arc<FetchUnderWay>)>) -> Fetched {
        loop {
            match self.send().into_answer() {
                Answer::Ready(reply) => {
                    let decided = reply.unwrap_or_else(|| Err(too_few_decisions()));
                    if let Some(fetched) = self.receive(decided, false) {
                        return fetched;
                    }
                }
                Answer::Pending(reply) => {
                    let Some((registered, under_way)) = registered else {
                        return Fetched::Failed(Error::runtime().err().unwrap_or_else(too_few_decisions));
                    };
                    let counted = self.limiter.shared.tasks.count();
                    let runtime = registered.runtime.clone();
                    runtime.spawn(async move {
                        let fetched = self.run(Answer::Pending(reply), &under_way).await;
                        registered.end(fetched);
                        drop(counted);
                    });
                    return Fetched::UnderWay;
                }
            }
        }
    }

    async fn run(mut self, mut reply: Answer<Decisions>, under_way: &FetchUnderWay) -> Fetched {
        loop {
            if let Answer::Pending(pending) = &reply
                && let Some(observer) = pending.observer()
            {
                under_way.awaited.set(observer);
            }
            if let Some(fetched) = self.receive(Reply::from(reply).await, true) {
                return fetched;
            }
            reply = self.send().into_answer();
        }
    }

    fn send(&mut self) -> Reply<Decisions> {
        self.sent = Instant::now();
        self.limiter.shared.store.decide(Mode::Charge, &[&self.request.alone(self.units)])
    }

    /// Receives the store's reply. Returns `None` if the fetch is to be repeated with fewer units.
    fn receive(&mut self, decided: Result<Decisions, Error>, from_remote_store: bool) -> Option<Fetched> {
        let decision = decided.and_then(|decisions| decisions.first().copied().ok_or_else(too_few_decisions));
        let decision = match decision {
            Ok(decision) => decision,
            Err(error) => return Some(Fetched::Failed(error)),
        };
        if decision.allowed() {
            self.fill(&decision, from_remote_store);
            return Some(Fetched::Units);
        }
        // The first retry requests what is left, if that exceeds the call's cost. Otherwise each call sends its own request.
        let left = if self.too_few.is_some() { 0 } else { decision.remaining().min(self.units) };
        let too_few = *self.too_few.get_or_insert(TooFew { wanted: self.units, refusal: decision });
        self.units = left;
        (left <= self.request.cost()).then_some(Fetched::TooFew(too_few))
    }

    fn fill(&self, decision: &Decision, from_remote_store: bool) {
        let mut state = self.lease.lock();
        if state.epoch == self.epoch {
            state.lease.fill(self.units, decision, self.sent);
            if let Some(too_few) = self.too_few.filter(|_| from_remote_store) {
                state.lease.note_shortage(too_few.wanted.saturating_sub(self.units), &too_few.refusal);
            }
            return;
        }
        drop(state);
        let unused = Unused { units: self.units, stamp: decision.stamp() };
        self.limiter.return_units(self.request.key(), self.request.limit(), vec![unused]);
    }
}

impl Registered {
    pub(super) fn new(lease: &Arc<KeyLease>, runtime: Handle, sender: watch::Sender<Fetched>) -> Self {
        Self { sender, lease: Arc::clone(lease), runtime }
    }

    fn runtime(&self) -> Id {
        self.runtime.id()
    }

    fn end(self, fetched: Fetched) {
        let sender = self.sender.clone();
        // Ends the registration first, because a woken call may begin the next fetch.
        drop(self);
        sender.send_replace(fetched);
    }
}

impl Drop for Registered {
    /// Also runs when the runtime shuts down. Then dropping the sender wakes the waiting calls.
    fn drop(&mut self) {
        self.lease.lock().end_fetch(self.runtime());
    }
}

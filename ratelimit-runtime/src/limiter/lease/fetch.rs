//! `Fetch`: takes units from the store in advance. It runs in its own task, so a dropped call loses no units and delays no
//! other call.

use super::super::RateLimiter;
use super::super::decided::invalid_reply;
use super::key_lease::{FetchState, FetchUnderWay, KeyLease, TooFew};
use super::units::Unused;
use crate::decision::Decision;
use crate::error::Error;
use crate::store::{Decisions, Mode, Reply, ReplyKind, Request};
use std::sync::Arc;
use tokio::runtime::{Handle, Id};
use tokio::sync::watch;
use tokio::time::Instant;

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
pub(super) struct Registration {
    sender: watch::Sender<FetchState>,
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
    pub(super) fn begin(mut self, registration: Option<(Registration, Arc<FetchUnderWay>)>) -> FetchState {
        loop {
            match self.send().into_kind() {
                ReplyKind::Ready(decided) => {
                    if let Some(ended) = self.receive(decided, false) {
                        return ended;
                    }
                }
                ReplyKind::Pending(reply) => {
                    let Some((registration, under_way)) = registration else {
                        return FetchState::Failed(Error::runtime().err().unwrap_or_else(invalid_reply));
                    };
                    let counted = self.limiter.shared.tasks.count();
                    let runtime = registration.runtime.clone();
                    runtime.spawn(async move {
                        let ended = self.run(ReplyKind::Pending(reply), &under_way).await;
                        registration.end(ended);
                        drop(counted);
                    });
                    return FetchState::UnderWay;
                }
            }
        }
    }

    async fn run(mut self, mut reply: ReplyKind<Decisions>, under_way: &FetchUnderWay) -> FetchState {
        loop {
            if let ReplyKind::Pending(pending) = &mut reply
                && let Some(observer) = pending.observer()
            {
                under_way.awaited.set(observer);
            }
            if let Some(ended) = self.receive(Reply::from(reply).await, true) {
                return ended;
            }
            reply = self.send().into_kind();
        }
    }

    fn send(&mut self) -> Reply<Decisions> {
        self.sent = Instant::now();
        self.limiter.shared.store.decide(Mode::Charge, &[&self.request.alone(self.units)])
    }

    /// Receives the store's reply. Returns `None` if the fetch is to be repeated with fewer units.
    fn receive(&mut self, decided: Result<Decisions, Error>, from_remote_store: bool) -> Option<FetchState> {
        let decision = decided.and_then(|decisions| decisions.first().copied().ok_or_else(invalid_reply));
        let decision = match decision {
            Ok(decision) => decision,
            Err(error) => return Some(FetchState::Failed(error)),
        };
        if decision.allowed() {
            self.fill(&decision, from_remote_store);
            return Some(FetchState::Units);
        }
        // The first retry requests what is left, if that exceeds the call's cost. Otherwise each call sends its own request.
        let left = if self.too_few.is_some() { 0 } else { decision.remaining().min(self.units) };
        let too_few = *self.too_few.get_or_insert(TooFew { wanted: self.units, refusal: decision });
        self.units = left;
        (left <= self.request.cost()).then_some(FetchState::TooFew(too_few))
    }

    fn fill(&self, decision: &Decision, from_remote_store: bool) {
        let mut state = self.lease.lock();
        if state.epoch == self.epoch {
            state.units.fill(self.units, decision, self.sent);
            if let Some(too_few) = self.too_few.filter(|_| from_remote_store) {
                state.units.note_shortage(too_few.wanted.saturating_sub(self.units), &too_few.refusal);
            }
            return;
        }
        drop(state);
        let unused = Unused { units: self.units, stamp: decision.stamp() };
        self.limiter.return_units(self.request.key(), self.request.limit(), vec![unused]);
    }
}

impl Registration {
    pub(super) fn new(lease: &Arc<KeyLease>, runtime: Handle, sender: watch::Sender<FetchState>) -> Self {
        Self { sender, lease: Arc::clone(lease), runtime }
    }

    fn runtime(&self) -> Id {
        self.runtime.id()
    }

    fn end(self, state: FetchState) {
        let sender = self.sender.clone();
        // Ends the registration first, because a woken call may begin the next fetch.
        drop(self);
        sender.send_replace(state);
    }
}

impl Drop for Registration {
    /// Also runs when the runtime shuts down. Then dropping the sender wakes the waiting calls.
    fn drop(&mut self) {
        self.lease.lock().end_fetch(self.runtime());
    }
}

//! Takes units from the store in advance, in a task of its own: a caller that is dropped loses nothing and delays nobody.

use super::super::RateLimiter;
use super::table::{FetchUnderWay, KeyLease};
use super::units::Unused;
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::store::{Answer, Decisions, Mode, Reply, Request};
use std::sync::Arc;
use tokio::runtime::{Handle, Id};
use tokio::sync::watch;
use tokio::time::Instant;

/// What has come of a fetch.
#[derive(Clone, Debug)]
pub(super) enum Fetched {
    UnderWay,
    /// The units are in the lease.
    Units,
    /// The store had fewer units than are of use: each call asks for its own.
    TooFew(TooFew),
    Failed(Error),
}

/// A refusal of units that were wanted in advance.
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

/// The entry of a fetch in the lease, until the fetch has ended.
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

    /// Asks the store. The answer of a store that needs no waiting is taken in at once; for that of another a task
    /// waits, in the runtime where the fetch is registered.
    pub(super) fn begin(mut self, registered: Option<(Registered, Arc<FetchUnderWay>)>) -> Fetched {
        loop {
            match self.ask().into_answer() {
                Answer::Ready(answer) => {
                    let answer = answer.unwrap_or_else(|| Err(unanswered()));
                    if let Some(fetched) = self.receive(answer, false) {
                        return fetched;
                    }
                }
                Answer::Pending(reply) => {
                    let Some((registered, under_way)) = registered else {
                        return Fetched::Failed(Error::runtime().err().unwrap_or_else(unanswered));
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

    async fn run(mut self, mut answer: Answer<Decisions>, under_way: &FetchUnderWay) -> Fetched {
        loop {
            if let Answer::Pending(reply) = &answer
                && let Some(observer) = reply.observer()
            {
                under_way.awaited.set(observer);
            }
            if let Some(fetched) = self.receive(Reply::from(answer).await, true) {
                return fetched;
            }
            answer = self.ask().into_answer();
        }
    }

    fn ask(&mut self) -> Reply<Decisions> {
        self.sent = Instant::now();
        self.limiter.shared.store.decide(Mode::Charge, &[&self.request.alone(self.units)])
    }

    /// Takes in an answer. `None` if fewer units are to be asked for.
    fn receive(&mut self, answer: Result<Decisions, Error>, far: bool) -> Option<Fetched> {
        let answer = answer.and_then(|decisions| decisions.first().copied().ok_or_else(unanswered));
        let decision = match answer {
            Ok(decision) => decision,
            Err(error) => return Some(Fetched::Failed(error)),
        };
        if decision.allowed() {
            self.fill(&decision, far);
            return Some(Fetched::Units);
        }
        // First a retry with what is left, if that exceeds the call's cost. Otherwise each call asks for itself.
        let left = if self.too_few.is_some() { 0 } else { decision.remaining().min(self.units) };
        let too_few = *self.too_few.get_or_insert(TooFew { wanted: self.units, refusal: decision });
        self.units = left;
        (left <= self.request.cost()).then_some(Fetched::TooFew(too_few))
    }

    fn fill(&self, decision: &Decision, far: bool) {
        let mut state = self.lease.lock();
        if state.epoch == self.epoch {
            state.lease.fill(self.units, decision, self.sent);
            if let Some(too_few) = self.too_few.filter(|_| far) {
                state.lease.fell_short(too_few.wanted.saturating_sub(self.units), &too_few.refusal);
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
        // First, since a call that is woken may begin the next one.
        drop(self);
        sender.send_replace(fetched);
    }
}

/// Also when its runtime shuts down: the calls that wait hear of it when the sender is dropped.
impl Drop for Registered {
    fn drop(&mut self) {
        self.lease.lock().end_fetch(self.runtime());
    }
}

fn unanswered() -> Error {
    Error::new(ErrorKind::Configuration, "the store has not answered a request")
}

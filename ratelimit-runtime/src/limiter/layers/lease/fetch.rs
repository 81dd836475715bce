//! `Fetch`: takes units from the store in advance. A fetch runs in its own task, so a call that is dropped loses no units and
//! does not delay other calls.

use super::Leases;
use super::key_lease::Planned;
use super::under_way::{FetchState, FetchUnderWay, TooFew};
use crate::decision::Decision;
use crate::error::Error;
use crate::limiter::layers::invalid_reply;
use crate::store::{Change, Decisions, Mode, PendingReply, Reply, Request};
use std::future::poll_fn;
use std::sync::Arc;

/// A fetch of units for one key. When it is dropped, its registration in the lease ends, and the waiting calls are woken.
pub(super) struct Fetch {
    leases: Arc<Leases>,
    hash: u64,
    request: Request,
    planned: Planned,
    /// The time at which the request was sent, by the timer of all leases.
    sent: u64,
    too_few: Option<TooFew>,
    /// The state that the waiting calls see at the end.
    ended: FetchState,
}

impl Fetch {
    /// Sends the request. If the reply is ready, receives it at once. Otherwise a task awaits the reply in the runtime where the
    /// fetch is registered.
    pub(super) fn begin(leases: &Arc<Leases>, hash: u64, request: &Request, planned: Planned) -> FetchState {
        let (leases, request, ended) = (Arc::clone(leases), request.clone(), FetchState::Ended);
        let mut fetch = Self { leases, hash, request, planned, sent: 0, too_few: None, ended };
        loop {
            match (fetch.send(), &fetch.planned.registered) {
                (Reply::Ready(decided), _) => {
                    if let Some(ended) = fetch.receive(decided, false) {
                        return ended;
                    }
                }
                (Reply::Pending(reply), Some((runtime, under_way))) => {
                    let (runtime, under_way) = (runtime.clone(), Arc::clone(under_way));
                    let counted = fetch.leases.tasks.count();
                    runtime.spawn(async move {
                        // The fetch ends its registration before the task is no longer counted, because `close` returns when no
                        // task is counted.
                        fetch.run(Reply::Pending(reply), &under_way).await;
                        drop(counted);
                    });
                    return FetchState::UnderWay;
                }
                (Reply::Pending(_), None) => {
                    return FetchState::Failed(Error::runtime().err().unwrap_or_else(invalid_reply));
                }
            }
        }
    }

    async fn run(mut self, mut reply: Reply<Decisions>, under_way: &FetchUnderWay) {
        loop {
            let decided = match reply {
                Reply::Ready(decided) => decided,
                Reply::Pending(reply) => self.received(reply, under_way).await,
            };
            if let Some(ended) = self.receive(decided, true) {
                self.ended = ended;
                return;
            }
            reply = self.send();
        }
    }

    /// Awaits the reply, even after the deadline. From the deadline on, the waiting calls watch their own deadlines.
    async fn received(
        &self,
        reply: PendingReply<Decisions>,
        under_way: &FetchUnderWay,
    ) -> Result<Decisions, Error> {
        let mut until = self.leases.below.store().with_deadline(under_way.began, reply);
        if let Some(decided) = poll_fn(|context| until.poll_in_time(context)).await {
            return decided;
        }
        let mut late = until.into_reply();
        under_way.set(FetchState::Late(late.observer()));
        late.await
    }

    fn send(&mut self) -> Reply<Decisions> {
        self.sent = self.leases.now();
        self.leases.below.store().bare().decide(Mode::Charge, &[&self.request.alone(self.planned.units)])
    }

    /// Receives the store's reply. Returns `None` if the fetch must be repeated with fewer units.
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
        // After the first refusal, the fetch is repeated with the units that are left, if these are more than the cost of the
        // call. Otherwise, and after a second refusal, the fetch ends and each call sends its own request.
        let left = if self.too_few.is_some() { 0 } else { decision.remaining().min(self.planned.units) };
        let too_few = *self.too_few.get_or_insert(TooFew { wanted: self.planned.units, refusal: decision });
        self.planned.units = left;
        (left <= self.request.cost()).then_some(FetchState::TooFew(too_few))
    }

    /// Adds the units to the lease. If the lease has restarted since the fetch began, returns them to the store.
    fn fill(&self, decision: &Decision, from_remote_store: bool) {
        let leases = &self.leases;
        let (now, units) = (leases.now(), self.planned.units);
        let filled = leases.with(self.hash, |lease| {
            if !lease.is_of(self.planned.epoch) {
                return false;
            }
            lease.units.fill(units, decision, self.sent, now);
            if let Some(too_few) = self.too_few.filter(|_| from_remote_store) {
                let missing = too_few.wanted.saturating_sub(units);
                lease.units.note_shortage(missing, &too_few.refusal, now);
            }
            true
        });
        if filled != Some(true) && decision.stamp() > 0 {
            let give = Change::Give(decision.stamp());
            self.leases.return_units([self.request.adjustment(units, give)]);
        }
    }
}

impl Drop for Fetch {
    /// `drop` also runs when the runtime shuts down before the fetch has ended.
    fn drop(&mut self) {
        if let Some((runtime, under_way)) = &self.planned.registered {
            // The registration ends before the calls are woken, because a woken call may begin the next fetch.
            self.leases.with(self.hash, |lease| lease.end_fetch(runtime.id()));
            under_way.set(std::mem::replace(&mut self.ended, FetchState::Ended));
        }
    }
}

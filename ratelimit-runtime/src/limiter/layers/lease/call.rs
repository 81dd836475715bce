//! `LeasingCall`: a call that waits for a fetch, or for the reply to its own request.

use super::Leases;
use super::key_lease::{Next, Tried};
use super::under_way::{FetchState, FetchUnderWay, Waited};
use crate::clock::DeadlineTimer;
use crate::decision::Decision;
use crate::error::Error;
use crate::limiter::layers::invalid_reply;
use crate::observe::store_replied;
use crate::store::{Decisions, Mode, Reply, Request, UntilDeadline};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::Instant;

/// A future that owns its request. When it is dropped, the call is no longer counted in the lease.
pub(in crate::limiter) struct LeasingCall {
    leases: Arc<Leases>,
    hash: u64,
    request: Request,
    began: Instant,
    tried: Tried,
    state: State,
}

/// The precision of deadlines, because tokio's timers have whole milliseconds.
const PRECISION: Duration = Duration::from_millis(1);

enum State {
    /// Waits for nothing: before the first step, between two steps and after the last one.
    Nothing,
    Waiting {
        fetch: Arc<FetchUnderWay>,
        place: Option<usize>,
        timer: DeadlineTimer,
    },
    /// Waits for the reply to the call's own request. If the lease counts the request, `epoch` is the number of restarts of the
    /// lease when the request was sent.
    Asking {
        reply: UntilDeadline<Decisions>,
        sent: u64,
        epoch: Option<u64>,
    },
}

impl LeasingCall {
    pub(super) fn new(
        leases: &Arc<Leases>,
        hash: u64,
        request: &Request,
        began: Instant,
        tried: Tried,
    ) -> Self {
        let (leases, request) = (Arc::clone(leases), request.clone());
        Self { leases, hash, request, began, tried, state: State::Nothing }
    }

    pub(super) fn request(&self) -> &Request {
        &self.request
    }

    /// Takes the next step, which the lease has determined. Returns the decision if the call need not wait.
    pub(super) fn follow(&mut self, next: Next) -> Option<Result<Decision, Error>> {
        match next {
            Next::Decided(taken) => Some(Ok(self.leases.taken(taken, &self.request))),
            Next::WithoutLease => self.ask(None),
            Next::RequestOwn(epoch) => self.ask(Some(epoch)),
            Next::Wait(fetch) => {
                self.tried.fetches += 1;
                let deadline = self.began + self.leases.below.store().within();
                self.state = State::Waiting { fetch, place: None, timer: DeadlineTimer::new(deadline) };
                None
            }
        }
    }

    /// Sends a request for exactly the cost of the call, so that the call never has unused units to return. `epoch` is `None`
    /// if the lease does not count the request.
    fn ask(&mut self, epoch: Option<u64>) -> Option<Result<Decision, Error>> {
        let sent = self.leases.now();
        let store = self.leases.below.store();
        match store.bare().decide(Mode::Check, &[&self.request]) {
            Reply::Ready(decisions) => Some(self.received(decisions, sent, epoch, false)),
            Reply::Pending(reply) => {
                let reply = store.with_deadline(self.began, reply);
                self.state = State::Asking { reply, sent, epoch };
                None
            }
        }
    }

    /// Notes in the lease what the store has decided about the call's own request. Returns the decision for the call.
    fn received(
        &mut self,
        decisions: Result<Decisions, Error>,
        sent: u64,
        epoch: Option<u64>,
        from_remote_store: bool,
    ) -> Result<Decision, Error> {
        let decision = decisions.and_then(|decisions| decisions.first().copied().ok_or_else(invalid_reply));
        let Some(epoch) = epoch else { return decision };
        let now = self.leases.now();
        let noted = self.leases.with(self.hash, |lease| {
            let is_current = lease.end_own_request(epoch);
            let decision = decision.as_ref().ok().filter(|_| is_current)?;
            if !decision.is_allowed() {
                return Some(lease.units.note_refusal(*decision, sent, from_remote_store));
            }
            lease.units.note_own_charge(self.request.cost(), decision, sent);
            if let Some(too_few) = self.tried.too_few.filter(|_| from_remote_store) {
                let missing = too_few.wanted.saturating_sub(self.request.cost());
                lease.units.note_shortage(missing, &too_few.refusal, now);
            }
            None
        });
        let Some(refusal) = noted.flatten() else { return decision };
        if from_remote_store {
            self.leases.below.remember(self.began, &[&self.request], &[refusal]);
        }
        Ok(refusal)
    }

    fn poll_decision(&mut self, context: &mut Context<'_>) -> Poll<Result<Decision, Error>> {
        Error::unless_runtime()?;
        loop {
            match &mut self.state {
                State::Waiting { .. } => {
                    let waited = ready!(self.poll_wait(context));
                    self.leave();
                    match waited? {
                        FetchState::Failed(error) => return Poll::Ready(Err(error)),
                        FetchState::TooFew(too_few) => self.tried.too_few = Some(too_few),
                        _ => {}
                    }
                }
                State::Asking { reply, sent, epoch } => {
                    let Some(decisions) = ready!(Pin::new(reply).poll(context)) else {
                        self.leave();
                        return Poll::Ready(Err(self.leases.below.store().too_late()));
                    };
                    let (sent, epoch) = (*sent, *epoch);
                    self.state = State::Nothing;
                    return Poll::Ready(self.received(decisions, sent, epoch, true));
                }
                State::Nothing => {}
            }
            let next = self.leases.step(self.hash, &self.request, &mut self.tried)?;
            if let Some(decided) = self.follow(next) {
                return Poll::Ready(decided);
            }
        }
    }

    /// Waits until the fetch has ended. Returns an error when the deadline has passed.
    fn poll_wait(&mut self, context: &mut Context<'_>) -> Poll<Result<FetchState, Error>> {
        let State::Waiting { fetch, place, timer } = &mut self.state else {
            return Poll::Ready(Ok(FetchState::Ended));
        };
        // The task of the fetch watches the deadline of the fetch. If the fetch has not begun later than the call, that task
        // also watches the deadline of the call.
        let is_in_time = fetch.began <= self.began + PRECISION;
        let observer = match fetch.poll(place, context) {
            Waited::Ended(state) => return Poll::Ready(Ok(state)),
            Waited::Watched if !timer.has_begun() && is_in_time => return Poll::Pending,
            Waited::Watched => None,
            Waited::Unwatched(observer) => observer,
        };
        ready!(timer.poll(context))?;
        if let Some(observer) = observer {
            observer.missed_deadline(self.leases.below.store().within());
        }
        Poll::Ready(Err(self.leases.below.store().too_late()))
    }

    /// Ends the wait or the own request of the call, so that the lease no longer counts it.
    fn leave(&mut self) {
        let leases = &self.leases;
        match std::mem::replace(&mut self.state, State::Nothing) {
            State::Nothing | State::Asking { epoch: None, .. } => {}
            State::Waiting { fetch, place, .. } => {
                if let Some(place) = place {
                    fetch.leave(place);
                }
                leases.with(self.hash, |lease| lease.end_wait(self.request.cost()));
            }
            State::Asking { epoch: Some(epoch), .. } => {
                leases.with(self.hash, |lease| lease.end_own_request(epoch));
            }
        }
    }
}

impl Future for LeasingCall {
    type Output = Result<Decisions, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let decided = ready!(self.poll_decision(context));
        store_replied(self.began);
        Poll::Ready(decided.map(Decisions::one))
    }
}

impl Drop for LeasingCall {
    fn drop(&mut self) {
        self.leave();
    }
}

//! `Holdings`: the permits and charges of an admitted call, which can be returned.
//!
//! If the reply to a call was lost, nobody knows whether its units were charged, so they stay charged. A permit is known by its
//! id, so `limiter/permits` returns it.

use super::changes::Changes;
use super::member::{Member, Stack};
use super::record::Noted;
use crate::body::{Held, Settle};
use crate::decision::{Decision, Source};
use crate::error::Error;
use crate::learn::InFlight;
use crate::limiter::RateLimiter;
use crate::limiter::permits::Stage;
use crate::observe::{LimitMetrics, PermitsHeld};
use crate::store::{Change, Reply};
use smallvec::SmallVec;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The units that an admitted call holds, for each limit of its stack.
///
/// When this value is dropped, permits are returned and charges stay charged.
pub(crate) struct Holdings {
    pub(super) limiter: RateLimiter,
    pub(crate) source: Source,
    pub(super) members: Stack,
    /// The time for which the call has waited for permits. `None` if it has not waited.
    pub(crate) waited: Option<Duration>,
    /// The error because of which shadow limits were not decided. `None` if the store did not fail.
    pub(super) shadow_error: Option<Error>,
    /// The decisions of the call in the request context, from which the header fields of the response are made. `None` outside a
    /// request.
    pub(super) noted: Option<Noted>,
    /// The charges that are estimates and that are not settled yet, each with the position of its limit.
    in_flight: SmallVec<[(usize, InFlight); 1]>,
    /// The changes to send. Each change has the position of the limit, the units, and the kind of the change.
    pub(super) changes: SmallVec<[(usize, u32, Change); 1]>,
    /// Whether the call still waits for its turn. If so, dropping this value returns everything.
    pub(super) until_turn: bool,
}

impl Holdings {
    /// `sent` is the time at which the request for the units was sent.
    pub(crate) fn new(limiter: RateLimiter, source: Source, mut members: Stack, sent: Instant) -> Self {
        let (waited, shadow_error, noted, changes, until_turn) = (None, None, None, SmallVec::new(), false);
        let estimates = members.iter_mut().enumerate();
        let in_flight = estimates.filter_map(|(at, member)| Some((at, member.estimate.take()?.begin())));
        let in_flight = in_flight.collect();
        let mut holdings =
            Self { limiter, source, members, waited, shadow_error, noted, in_flight, changes, until_turn };
        for at in 0..holdings.members.len() {
            holdings.renew(at, sent);
        }
        holdings
    }

    /// Starts to renew the permit at this position, if the limit gives permits and was decided.
    pub(super) fn renew(&mut self, at: usize, sent: Instant) {
        let member = &mut self.members[at];
        if member.is_permit() && member.decision.is_some() {
            if self.source != Source::Nobody {
                member.held = PermitsHeld::hold(member.series, member.request.cost());
            }
            let permits = &self.limiter.shared.permits;
            permits.hold(&self.limiter, self.source, &member.request, member.shown_name, sent);
        }
    }

    /// Returns the measurements of the limits that make the call wait.
    pub(super) fn waits(&self) -> impl Iterator<Item = &'static LimitMetrics> {
        let waits =
            |member: &&Member| member.decision.is_some_and(|decision| decision.delay() > Duration::ZERO);
        self.members.iter().filter(move |member| !member.shadow && waits(member)).map(|member| member.series)
    }

    /// Returns the decision of the first limit.
    pub(crate) fn decision(&self) -> Option<Decision> {
        self.members.first().and_then(|member| member.decision)
    }

    /// Returns the decisions of the limits that may refuse the call.
    pub(super) fn decisions(&self) -> impl Iterator<Item = Decision> {
        self.members.iter().filter(|member| !member.shadow).filter_map(|member| member.decision)
    }

    /// Adds a change that returns units of the charge at this position.
    pub(crate) fn give(&mut self, at: usize, units: u32) {
        if let Some(member) = self.members.get(at)
            && let Some(decision) = member.decision
            && !member.takes_nothing
            && !member.is_permit()
            && decision.stamp() > 0
            && units > 0
        {
            let units = units.min(member.request.cost());
            self.changes.push((at, units, Change::Give(decision.stamp())));
        }
    }

    /// Adds a change that takes more units of the limit at this position, even if they are not free.
    pub(crate) fn take(&mut self, at: usize, units: u32) {
        let takes = |member: &Member| units > 0 && !member.takes_nothing && !member.is_permit();
        if self.members.get(at).is_some_and(takes) {
            self.changes.push((at, units, Change::Take));
        }
    }

    /// Finds a limit by its position in the attribute. Returns its index in the stack. `None` if the call does not have this
    /// limit.
    pub(crate) fn place(&self, position: usize) -> Option<usize> {
        self.members.iter().position(|member| member.position == position)
    }

    /// Adds changes that return all charges. Nothing is learned from them.
    pub(crate) fn give_all_back(&mut self) {
        self.in_flight.clear();
        for at in 0..self.members.len() {
            self.give(at, self.members[at].request.cost());
        }
    }

    /// Takes the changes, to send them to the place that has charged the call. If this is not the store, the pauses among them
    /// are also sent to the store in the background, because a pause concerns all processes.
    fn take_changes(&mut self) -> Changes {
        let mut changes = Changes::default();
        let is_observed = self.source == Source::Store && self.limiter.shared.watch.sees_takes();
        for (at, units, change) in std::mem::take(&mut self.changes) {
            let member = &self.members[at];
            let adjustment = member.request.adjustment(units, change);
            changes.push(member.shown_name, adjustment, is_observed && !member.shadow);
        }
        let adjustments = &changes.adjustments;
        if self.source != Source::Store && !adjustments.is_empty() {
            let pauses = adjustments.iter().filter(|change| matches!(change.change(), Change::Pause(_)));
            self.limiter.shared.postponed.postpone(self.limiter.on_error, pauses);
        }
        changes
    }

    /// Ends the limits whose positions in the attribute are not in `lasting`: returns their permits, and sends the changes as
    /// [`finish`](Self::finish) does. The other permits stay held.
    pub(crate) async fn finish_except(&mut self, lasting: &[usize]) -> Result<u32, Error> {
        for member in self.members.iter_mut().filter(|member| !lasting.contains(&member.position)) {
            if member.is_permit() && !member.takes_nothing {
                member.takes_nothing = true;
                member.held = PermitsHeld::default();
                member.release(&self.limiter, self.source, Stage::Returned);
            }
        }
        self.finish().await
    }

    /// Moves the permits and charges into a response. `settle` has the positions of charges, each with the function that
    /// computes the real cost of that charge. Header fields are written before the response ends, so the recorded decisions are
    /// not updated afterwards.
    pub(crate) fn into_held(mut self, settle: Vec<(usize, Settle)>) -> Held {
        self.noted = None;
        Held::new(move |sent| {
            for (at, cost) in settle {
                // The body may be dropped while a task panics. A second panic would then abort the process.
                match catch_unwind(AssertUnwindSafe(|| cost(sent))) {
                    Ok(cost) => self.settle(at, cost),
                    Err(_) => {
                        tracing::error!("the function of `settle` has panicked; the call costs its `cost`");
                    }
                }
            }
        })
    }

    /// Sends the changes, and waits for the reply for at most one deadline. The changes are made even if the future is dropped.
    /// Returns the number of units that changed. After an error, changes that were certainly not made, and pauses, are sent again
    /// in the background.
    pub(crate) async fn finish(&mut self) -> Result<u32, Error> {
        let changes = self.take_changes();
        if changes.adjustments.is_empty() {
            return Ok(0);
        }
        match self.limiter.shared.policy.adjust(self.source, &changes.adjustments) {
            Reply::Ready(adjusted) => {
                changes.note(&self.limiter, &adjusted);
                adjusted.map(|adjusted| changes.sum(&adjusted))
            }
            Reply::Pending(reply) => {
                Error::unless_runtime()?;
                let limiter = self.limiter.clone();
                let sent = async move {
                    let adjusted = limiter.shared.store.until_deadline(Instant::now(), reply).await;
                    changes.note(&limiter, &adjusted);
                    adjusted.map(|adjusted| changes.sum(&adjusted))
                };
                tokio::spawn(sent).await.unwrap_or(Ok(0))
            }
        }
    }

    /// Adds the change that corrects the charge at this position to the real cost of the call. Updates the recorded decision too.
    pub(crate) fn settle(&mut self, at: usize, cost: u32) {
        let Some(estimate) = self.members.get(at).map(|member| member.request.cost()) else { return };
        if cost < estimate {
            self.give(at, estimate - cost);
        } else {
            self.take(at, cost - estimate);
        }
        if let Some(place) = self.in_flight.iter().position(|(of, _)| *of == at) {
            self.in_flight.swap_remove(place).1.settled(cost);
        }
        if let Some(noted) = &self.noted {
            noted.change(at, |record| match record.cost().checked_sub(cost) {
                Some(units) => record.give(units),
                None => record.take(cost - record.cost()),
            });
        }
    }

    /// Charges the ceilings of estimates that were not settled, because nobody knows the real costs. Otherwise, a client could go away
    /// early to pay less than it used.
    fn charge_ceilings(&mut self) {
        for (at, in_flight) in std::mem::take(&mut self.in_flight) {
            let charged = self.members[at].request.cost();
            self.take(at, in_flight.ceiling().saturating_sub(charged));
        }
    }
}

impl Drop for Holdings {
    fn drop(&mut self) {
        if self.until_turn {
            self.give_all_back();
        }
        self.charge_ceilings();
        let changes = self.take_changes();
        if !changes.adjustments.is_empty() {
            let (shared, on_error) = (Arc::downgrade(&self.limiter.shared), self.limiter.on_error);
            let adjusting = self.limiter.shared.policy.adjust(self.source, &changes.adjustments);
            adjusting.in_background(&self.limiter.shared.tasks, move |adjusted| {
                if let Some(shared) = shared.upgrade() {
                    changes.note(&RateLimiter { shared, on_error }, &adjusted);
                }
            });
        }
        for member in self.members.iter().filter(|member| !member.takes_nothing) {
            // If a shadow limit was not decided yet, the store may have given it a permit in a reply that has not arrived.
            let stage = if member.decision.is_some() { Stage::Returned } else { Stage::Lost };
            member.release(&self.limiter, self.source, stage);
        }
    }
}

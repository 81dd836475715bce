//! `Holdings`: the permits and charges of an admitted call, which can be returned.

use super::RateLimiter;
use super::decided::Source;
use super::renewals::Stage;
use super::stack::{Member, Stack};
use crate::decision::Decision;
use crate::error::Error;
use crate::observe::PermitsHeld;
use crate::store::{Adjusted, Adjustment, Change, Reply, ReplyKind};
use smallvec::SmallVec;
use std::time::Duration;
use tokio::time::Instant;

/// What an admitted call holds of each limit of its stack.
///
/// Dropping it returns permits, keeps charges, and charges each limit that is charged after the call, unless
/// [`charge_after`](Self::charge_after) was called with `false`.
pub(crate) struct Holdings {
    pub(super) limiter: RateLimiter,
    pub(crate) source: Source,
    pub(super) members: Stack,
    /// How long the call has waited for permits, if it has.
    pub(crate) waited: Option<Duration>,
    /// Why shadow limits were not decided, if the store failed.
    pub(super) shadow_error: Option<Error>,
    /// The changes to send: the position of the limit, the units, and the kind of the change.
    changes: SmallVec<[(usize, u32, Change); 1]>,
}

impl Holdings {
    pub(crate) fn new(limiter: RateLimiter, source: Source, members: Stack) -> Self {
        let mut holdings =
            Self { limiter, source, members, waited: None, shadow_error: None, changes: SmallVec::new() };
        for at in 0..holdings.members.len() {
            holdings.renew(at);
        }
        holdings
    }

    /// Renews the permit at this position, if there is one, while it is held.
    pub(super) fn renew(&mut self, at: usize) {
        let member = &mut self.members[at];
        if member.is_permit() && member.decision.is_some() {
            if self.source != Source::Nobody {
                member.held = PermitsHeld::hold(member.series, member.request.cost());
            }
            self.limiter.shared.renewals.hold(&self.limiter, self.source, &member.request);
        }
    }

    /// The limits of the call, in the order in which they are written.
    pub(crate) fn members(&self) -> &[Member] {
        &self.members
    }

    /// The decision on the first limit.
    pub(crate) fn decision(&self) -> Option<Decision> {
        self.members.first().and_then(|member| member.decision)
    }

    /// The decisions of the limits, each with its position. Empty if only the failure policy has decided.
    pub(crate) fn decisions(&self) -> impl Iterator<Item = (usize, Decision)> {
        let members = self.members.iter().enumerate().filter(|_| self.source != Source::Nobody);
        members.filter_map(|(at, member)| Some((at, member.decision.or(member.peeked)?)))
    }

    /// Returns units of the charge at this position.
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

    /// Takes more units of the limit at this position, even if they are not free.
    pub(crate) fn take(&mut self, at: usize, units: u32) {
        let takes = |member: &Member| units > 0 && !member.takes_nothing && !member.is_permit();
        if self.members.get(at).is_some_and(takes) {
            self.changes.push((at, units, Change::Take));
        }
    }

    /// Corrects the charge at this position to the real cost of the call.
    pub(crate) fn settle(&mut self, at: usize, cost: u32) {
        let Some(estimate) = self.members.get(at).map(|member| member.request.cost()) else { return };
        if cost < estimate {
            self.give(at, estimate - cost);
        } else {
            self.take(at, cost - estimate);
        }
    }

    /// Decides whether the limit at this position, which the store has only peeked at before the call, is charged.
    pub(crate) fn charge_after(&mut self, at: usize, charge: bool) {
        let Some(member) = self.members.get_mut(at).filter(|member| member.charge_after) else { return };
        member.charge_after = false;
        let cost = member.request.cost();
        if charge {
            self.take(at, cost);
        }
    }

    /// Returns all charges.
    pub(crate) fn give_all_back(&mut self) {
        for at in 0..self.members.len() {
            let member = &mut self.members[at];
            member.charge_after = false;
            let cost = member.request.cost();
            self.give(at, cost);
        }
    }

    /// Sends the changes, and the charge of each limit that is charged after the call and not decided yet. A store that
    /// replies at once has made the changes when this returns.
    pub(crate) fn send(&mut self) -> Reply<Adjusted> {
        for at in 0..self.members.len() {
            self.charge_after(at, true);
        }
        let changes = std::mem::take(&mut self.changes);
        if changes.is_empty() {
            return Reply::ready(Ok(Adjusted::new()));
        }
        let adjust = |(at, units, change): &(usize, u32, Change)| {
            self.members[*at].request.adjustment(*units, *change)
        };
        let adjustments: SmallVec<[Adjustment; 1]> = changes.iter().map(adjust).collect();
        self.limiter.adjust(self.source, &adjustments)
    }

    /// Sends the changes, and waits for the reply as long as for a decision. The changes are made even if the future is
    /// dropped. Returns the number of units that changed.
    pub(crate) async fn finish(mut self) -> Result<u32, Error> {
        self.flush().await
    }

    /// Ends the limits for which this returns `false`, as [`finish`](Self::finish). The others are held further.
    pub(crate) async fn finish_except(&mut self, lasts: impl Fn(usize) -> bool) -> Result<u32, Error> {
        for at in (0..self.members.len()).filter(|at| !lasts(*at)) {
            let member = &mut self.members[at];
            if member.is_permit() && !member.takes_nothing {
                member.takes_nothing = true;
                member.held = PermitsHeld::default();
                self.limiter.shared.renewals.release(
                    &self.limiter,
                    self.source,
                    &member.request,
                    Stage::Returned,
                );
            }
        }
        self.flush().await
    }

    async fn flush(&mut self) -> Result<u32, Error> {
        let adjusted = match self.send().into_kind() {
            ReplyKind::Ready(adjusted) => adjusted,
            ReplyKind::Pending(reply) => {
                Error::unless_runtime()?;
                let limiter = self.limiter.clone();
                let sent = tokio::spawn(async move { limiter.until_deadline(Instant::now(), reply).await });
                sent.await.unwrap_or_else(|_| Ok(Adjusted::new()))
            }
        };
        adjusted.map(|units| units.iter().fold(0, |sum: u32, units| sum.saturating_add(*units)))
    }
}

impl Drop for Holdings {
    fn drop(&mut self) {
        let reply = self.send();
        self.limiter.shared.tasks.run(reply, |_| {});
        for member in self.members.iter().filter(|member| member.is_permit() && !member.takes_nothing) {
            // A shadow limit may not be decided yet.
            let stage = if member.decision.is_some() { Stage::Returned } else { Stage::Lost };
            self.limiter.shared.renewals.release(&self.limiter, self.source, &member.request, stage);
        }
    }
}

//! What an admitted call holds: permits, and charges that may come back.

use super::RateLimiter;
use super::asked::Asked;
use super::decide::Source;
use crate::decision::Decision;
use crate::error::Error;
use crate::store::{Adjusted, Adjustment, Answer, Change, Reply};
use smallvec::SmallVec;
use tokio::time::Instant;

/// What an admitted call holds of each limit of its stack, in the order in which they were written.
///
/// Dropped, permits go back and charges stay; units that were to be taken after the call are taken, since nobody has
/// said otherwise.
pub(crate) struct Held {
    pub(super) limiter: RateLimiter,
    pub(super) source: Source,
    pub(super) members: SmallVec<[Member; 1]>,
    changes: SmallVec<[(usize, u32, Change); 1]>,
}

pub(crate) struct Member {
    pub(super) asked: Asked,
    /// None for what was only looked at, and for permits that are to go back at once.
    pub(super) decision: Option<Decision>,
    /// Nothing was taken, and nothing is to be.
    pub(super) void: bool,
}

impl Member {
    pub(crate) fn new(asked: Asked, decision: Option<Decision>) -> Self {
        Self { asked, decision, void: false }
    }
}

impl Held {
    pub(crate) fn new(limiter: RateLimiter, source: Source) -> Self {
        Self { limiter, source, members: SmallVec::new(), changes: SmallVec::new() }
    }

    pub(crate) fn push(&mut self, member: Member) {
        self.members.push(member);
        self.renew(self.members.len() - 1);
    }

    /// Renews the permit at this position, if it is one, as long as it is held.
    pub(super) fn renew(&self, at: usize) {
        let Member { asked, decision, .. } = &self.members[at];
        if asked.limit.is_concurrency() && decision.is_some() {
            self.limiter.shared.renewals.hold(&self.limiter, self.source, asked);
        }
    }

    /// The decision on the first limit.
    pub(crate) fn decision(&self) -> Option<Decision> {
        self.members.first().and_then(|member| member.decision)
    }

    /// Gives back units of the charge at this position.
    pub(crate) fn give(&mut self, at: usize, units: u32) {
        if let Some(Member { asked, decision: Some(decision), void: false }) = self.members.get(at)
            && !asked.limit.is_concurrency()
            && decision.stamp() > 0
            && units > 0
        {
            self.changes.push((at, units.min(asked.cost), Change::Give(decision.stamp())));
        }
    }

    /// Takes more units of the limit at this position, whether there is room or not.
    pub(crate) fn take(&mut self, at: usize, units: u32) {
        let takes = |member: &Member| units > 0 && !member.void && !member.asked.limit.is_concurrency();
        if self.members.get(at).is_some_and(takes) {
            self.changes.push((at, units, Change::Take));
        }
    }

    /// Makes the charge at this position what the call has really cost.
    pub(crate) fn settle(&mut self, at: usize, cost: u32) {
        let Some(estimate) = self.members.get(at).map(|member| member.asked.cost) else { return };
        if cost < estimate {
            self.give(at, estimate - cost);
        } else {
            self.take(at, cost - estimate);
        }
    }

    /// Takes the units that were only looked at, or lets them be.
    pub(crate) fn decide_later(&mut self, at: usize, charge: bool) {
        let Some(member) = self.members.get_mut(at).filter(|member| member.asked.later) else { return };
        member.asked.later = false;
        let cost = member.asked.cost;
        if charge {
            self.take(at, cost);
        }
    }

    /// Gives all charges back.
    pub(crate) fn give_all_back(&mut self) {
        for at in 0..self.members.len() {
            let member = &mut self.members[at];
            member.asked.later = false;
            let cost = member.asked.cost;
            self.give(at, cost);
        }
    }

    /// Sends the changes. What needs no waiting is done before this returns.
    pub(crate) fn send(&mut self) -> Reply<Adjusted> {
        for at in 0..self.members.len() {
            self.decide_later(at, true);
        }
        let changes = std::mem::take(&mut self.changes);
        if changes.is_empty() {
            return Reply::ready(Ok(Adjusted::new()));
        }
        let adjust = |(at, units, change): &(usize, u32, Change)| {
            let asked = &self.members[*at].asked;
            Adjustment::new(asked.key.as_store_key(), &asked.limit, *units, *change)
        };
        let adjustments: SmallVec<[Adjustment<'_>; 2]> = changes.iter().map(adjust).collect();
        self.limiter.adjust(self.source, &adjustments)
    }

    /// Sends the changes, and waits for the answer as long as for a decision. The changes are made also when this is
    /// dropped.
    pub(crate) async fn finish(mut self) -> Result<u32, Error> {
        let answer = match self.send().into_answer() {
            Answer::Ready(answer) => answer.unwrap_or_else(|| Ok(Adjusted::new())),
            Answer::Pending(reply) => {
                Error::unless_runtime()?;
                let limiter = self.limiter.clone();
                let sent = tokio::spawn(async move { limiter.until_deadline(Instant::now(), reply).await });
                sent.await.unwrap_or_else(|_| Ok(Adjusted::new()))
            }
        };
        answer.map(|units| units.iter().fold(0, |sum: u32, units| sum.saturating_add(*units)))
    }

    pub(crate) fn finish_in_background(mut self) {
        let reply = self.send();
        self.limiter.shared.background.run(reply, |_| {});
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let reply = self.send();
        self.limiter.shared.background.run(reply, |_| {});
        let permits = |member: &&Member| member.asked.limit.is_concurrency() && !member.void;
        for member in self.members.iter().filter(permits) {
            self.limiter.shared.renewals.release(&self.limiter, self.source, &member.asked);
        }
    }
}

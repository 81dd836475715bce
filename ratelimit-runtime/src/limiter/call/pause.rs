//! Pauses of a limit. The result of a call can start a pause. A call whose turn comes during a pause takes another turn.

use super::claim::Refused;
use super::holdings::Holdings;
use crate::clock::timer;
use crate::decision::{Decision, Source};
use crate::error::Error;
use crate::limiter::layers::Decided;
use crate::store::{Change, Decisions, Mode, Reply, Request, Store};
use std::time::Duration;

/// The longest pause that the result of a call can start.
const LONGEST: Duration = Duration::from_secs(86_400);

impl Holdings {
    /// Pauses the limit at this position for this time, at most one day.
    pub(crate) fn pause(&mut self, at: usize, time: Duration) {
        let ms = u64::try_from(time.min(LONGEST).as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX);
        if ms > 0 && self.members.get(at).is_some_and(|member| !member.shadow && member.has_gate()) {
            self.changes.push((at, 1, Change::Pause(ms)));
        }
    }

    /// Takes another turn each time a limit of the call is paused when the turn comes. `waited` is how long the call has already
    /// waited. If a turn would come after the `wait` of its limit, the call is refused.
    pub(super) async fn outlast_pauses(&mut self, mut waited: Duration) -> Result<(), Refused> {
        for at in 0..self.members.len() {
            while self.members[at].pauses
                && !self.members[at].shadow
                && self.members[at].has_gate()
                && self.is_paused(at).await?
            {
                let Some(decision) = self.next_turn(at).await? else { break };
                waited = waited.saturating_add(decision.delay());
                if !decision.is_allowed() || waited > self.members[at].request.limit().longest_wait() {
                    return Err(self.refused(at, decision));
                }
                timer::sleep(decision.delay()).await?;
            }
        }
        Ok(())
    }

    async fn is_paused(&self, at: usize) -> Result<bool, Error> {
        let look = self.members[at].request.adjustment(1, Change::Closed);
        let left = self.replied(self.limiter.shared.policy.adjust(self.source, &[look])).await?;
        Ok(left.is_some_and(|left| left.first().is_some_and(|left| *left > 0)))
    }

    /// Takes another turn of one limit. `None` if the store that gave the turn fails now.
    async fn next_turn(&mut self, at: usize) -> Result<Option<Decision>, Error> {
        self.return_void_turn(at).await;
        let request = self.members[at].request.alone(self.members[at].request.cost());
        let decisions = self.replied(self.decide_again(&request)).await?;
        let decision = decisions.and_then(|decisions| decisions.first().copied());
        if let Some(decision) = decision.filter(Decision::is_allowed) {
            self.members[at].decision = Some(decision);
        }
        Ok(decision)
    }

    /// Decides a request in the place that made the call's earlier decision: the store or the local memory. The call may wait. The
    /// failure policy does not apply.
    fn decide_again(&self, request: &Request) -> Reply<Decisions> {
        let shared = &self.limiter.shared;
        match self.source {
            Source::Store => shared.store.bare().decide(Mode::Charge, &[request]),
            Source::Local => shared.policy.local().decide(Mode::Charge, &[request]),
            Source::Nobody => Reply::ready(Ok(Decisions::new())),
        }
    }

    /// Awaits a reply of the store that gave the turn. `None` in an outage. No other store is asked, because no other store knows
    /// the turn and the pause.
    async fn replied<T: Unpin>(&self, reply: Reply<T>) -> Result<Option<T>, Error> {
        let shared = &self.limiter.shared;
        match shared.store.within_deadline(reply).await {
            Ok(reply) => Ok(Some(reply)),
            Err(error) if shared.outage.explains(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Gives back the units of a turn that came during a pause. Units of a bucket are not given back, because they leak during
    /// the pause.
    async fn return_void_turn(&mut self, at: usize) {
        let member = &mut self.members[at];
        let Some(decision) = member.decision.filter(|decision| decision.stamp() > 0) else { return };
        if member.request.limit().algorithm().is_bucket() {
            return;
        }
        let give = member.request.adjustment(member.request.cost(), Change::Give(decision.stamp()));
        // The stamp is removed, so that the charge cannot be returned a second time.
        member.decision = Some(decision.with_stamp(0));
        let _ = self.replied(self.limiter.shared.policy.adjust(self.source, &[give])).await;
    }

    fn refused(&self, at: usize, decision: Decision) -> Refused {
        let decision =
            if decision.is_allowed() { decision.refused_until(decision.delay()) } else { decision };
        let charged = self.members.iter().enumerate().filter(|(_, member)| !member.shadow);
        let decisions =
            charged.filter_map(|(other, member)| if other == at { Some(decision) } else { member.decision });
        Refused::Limited(Decided { decisions: decisions.collect(), source: self.source })
    }
}

//! Shadow limits: decided beside those of a call that may go on, to see what they would do. They never refuse.

use super::decide::Source;
use super::held::{Held, Member};
use crate::decision::Decision;
use crate::store::{Decisions, Mode, Request};
use smallvec::SmallVec;

impl Held {
    /// Decides the shadow limits, each for itself. One that would refuse takes nothing, as in earnest; one that makes
    /// calls wait is charged for the turn, and nobody waits. What the store does not decide in time is not decided.
    pub(super) async fn ask_shadows(&mut self) {
        // A permit that cannot be had now is not waited for, and leaves no ticket.
        let permits = |member: &Member| member.asked.limit.is_concurrency() && !member.asked.later;
        self.ask(Mode::Peek, |member| member.asked.later).await;
        self.ask(Mode::Check, permits).await;
        self.ask(Mode::Charge, |member| !member.asked.later && !permits(member)).await;
    }

    async fn ask(&mut self, mode: Mode, of: impl Fn(&Member) -> bool) {
        let asked = |(_, member): &(usize, &Member)| member.asked.aside && of(member);
        let shadows: SmallVec<[usize; 1]> =
            self.members.iter().enumerate().filter(asked).map(|(at, _)| at).collect();
        if shadows.is_empty() {
            return;
        }
        let decisions = if self.source == Source::Store {
            let requests: SmallVec<[Request<'_>; 1]> =
                shadows.iter().map(|at| self.members[*at].asked.request()).collect();
            let reply = self.limiter.shared.store.decide(mode, &requests);
            self.limiter.within_deadline(reply).await.unwrap_or_else(|error| {
                tracing::debug!(%error, "shadow limits were not decided");
                Decisions::new()
            })
        } else {
            Decisions::new()
        };
        for (i, at) in shadows.into_iter().enumerate() {
            let decision = decisions.get(i).copied();
            let member = &mut self.members[at];
            member.void = !decision.is_some_and(|decision| decision.allowed());
            member.decision = decision.filter(|_| !member.asked.later || member.void);
            if !member.void {
                self.renew(at);
            }
        }
    }

    /// What the shadow limit at this position has refused, if it is one that has.
    pub(crate) fn shadow_refusal(&self, at: usize) -> Option<Decision> {
        let Member { asked, decision, void } = self.members.get(at)?;
        if asked.aside && *void { *decision } else { None }
    }
}

//! Decides the shadow limits of an admitted call, to report what they would refuse. They never refuse a call.

use super::holdings::Holdings;
use super::member::Member;
use crate::decision::{Decision, Source};
use crate::error::Error;
use crate::limiter::layers::invalid_reply;
use crate::limiter::permits::Stage;
use crate::observe::store_replied;
use crate::store::{Decisions, Mode, Reply, Request};
use smallvec::SmallVec;
use tokio::time::Instant;

impl Holdings {
    /// Decides each shadow limit by itself. A limit that would refuse the call is not charged. A limit that would make the call
    /// wait is charged for the turn, but the call does not wait. If the store does not reply within the rest of the call's
    /// deadline, the limit is not decided.
    pub(super) async fn decide_shadows(&mut self, began: Option<Instant>) {
        // Permits use mode `Check`: a shadow limit does not wait, so it must not leave a ticket.
        self.decide_shadows_by(began, Mode::Check, Member::is_permit).await;
        self.decide_shadows_by(began, Mode::Charge, |member| !member.is_permit()).await;
    }

    async fn decide_shadows_by(&mut self, began: Option<Instant>, mode: Mode, of: impl Fn(&Member) -> bool) {
        let positions: SmallVec<[usize; 1]> =
            (0..self.members.len()).filter(|at| self.members[*at].shadow && of(&self.members[*at])).collect();
        if positions.is_empty() {
            return;
        }
        let sent = Instant::now();
        let decisions = self.shadow_decisions(began, mode, &positions).await;
        for (i, at) in positions.into_iter().enumerate() {
            let decision = decisions.get(i).copied();
            let member = &mut self.members[at];
            member.takes_nothing = !decision.is_some_and(|decision| decision.is_allowed());
            member.decision = decision;
            if !member.takes_nothing {
                self.renew(at, sent);
            }
        }
    }

    /// Returns the store's decisions about these shadow limits. During an outage, returns no decisions, because the failure
    /// policy applies only to limits that may refuse. An outage is noted even if only requests of shadow limits have failed.
    async fn shadow_decisions(
        &mut self,
        began: Option<Instant>,
        mode: Mode,
        positions: &[usize],
    ) -> Decisions {
        if self.source != Source::Store {
            return Decisions::new();
        }
        let requests: SmallVec<[&Request; 1]> =
            positions.iter().map(|at| &self.members[*at].request).collect();
        let store = &self.limiter.shared.store;
        let decisions = match store.bare().decide(mode, &requests) {
            Reply::Ready(decisions) => decisions,
            Reply::Pending(deciding) => {
                let sent = Instant::now();
                let decisions = store.until_deadline(began.unwrap_or(sent), deciding).await;
                store_replied(sent);
                if decisions.as_ref().is_err_and(Error::is_transient) {
                    // The store may have given permits even if its reply did not arrive.
                    let members = positions.iter().map(|at| &self.members[*at]);
                    members.for_each(|member| member.release(&self.limiter, Source::Store, Stage::Lost));
                }
                decisions
            }
        };
        let asked = requests.len();
        drop(requests);
        let outage = &self.limiter.shared.outage;
        match decisions {
            Ok(decisions) if decisions.len() == asked => {
                outage.succeeded();
                decisions
            }
            decisions => {
                let error = decisions.err().unwrap_or_else(invalid_reply);
                outage.note(&error);
                self.shadow_error = Some(error);
                Decisions::new()
            }
        }
    }

    /// Returns the error because of which the shadow limit at this position was not decided. `None` if it was decided, or if the
    /// store was not asked.
    pub(super) fn shadow_error(&self, at: usize) -> Option<&Error> {
        let member = self.members.get(at).filter(|member| member.shadow && member.takes_nothing)?;
        self.shadow_error.as_ref().filter(|_| member.decision.is_none())
    }

    /// Returns the refusal by the shadow limit at this position, if it would refuse the call.
    pub(super) fn shadow_refusal(&self, at: usize) -> Option<Decision> {
        let member = self.members.get(at)?;
        if member.shadow && member.takes_nothing { member.decision } else { None }
    }
}

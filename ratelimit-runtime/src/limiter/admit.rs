//! Admits calls that wait or whose units can be returned: charges, sleeps until the turn, asks again for permits.

use super::decide::{Outcome, Source};
use super::holdings::Holdings;
use super::permit_waiters::PermitWaiter;
use super::stack::{Member, Stack, join};
use super::{LONGEST_TIME, RateLimiter};
use crate::decision::Decision;
use crate::error::Error;
use crate::store::{Decisions, Mode, Request};
use smallvec::SmallVec;
use std::time::Duration;
use tokio::time::Instant;

/// Why a call was not admitted.
pub(crate) enum Refused {
    /// By the limit at this position of the stack.
    Limited(usize, Decision),
    Failed(Error),
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl RateLimiter {
    /// Charges a stack, waits for its turn, and returns what the call holds.
    ///
    /// If the future is dropped after the store has replied, everything is returned. If it is dropped before, the units may
    /// have been taken, and permits are returned.
    pub(crate) async fn admit(self, stack: Stack) -> Result<Holdings, Refused> {
        self.peek_at_charged_after(&stack).await?;
        let mut claim = Claim::new(&self, stack);
        let outcome = claim.decide().await?;
        let mut turn = Turn(Some(claim.into_holdings(&outcome)));
        if let Some(holdings) = &mut turn.0 {
            holdings.decide_shadows().await;
        }
        let delay = outcome.decisions.iter().map(Decision::delay).max().unwrap_or_default();
        if delay > Duration::ZERO {
            Error::unless_runtime()?;
            tokio::time::sleep(delay).await;
        }
        Ok(turn.taken())
    }

    /// Refuses the call if units that are taken after it are not free before it.
    async fn peek_at_charged_after(&self, stack: &Stack) -> Result<(), Refused> {
        let is_charged_after = |member: &Member| member.charge_after && !member.shadow;
        let positions: SmallVec<[usize; 2]> =
            (0..stack.len()).filter(|at| is_charged_after(&stack[*at])).collect();
        if positions.is_empty() {
            return Ok(());
        }
        let requests: SmallVec<[&Request; 2]> = positions.iter().map(|at| &stack[*at].request).collect();
        let outcome = self.decide_kept(Mode::Peek, &requests).await?;
        match outcome.refused() {
            Some(at) => Err(Refused::Limited(positions[at], outcome.decisions[at])),
            None => Ok(()),
        }
    }
}

/// A stack that is being decided. If it is dropped before the decision, it returns the permits and tickets that the store
/// may have given.
struct Claim<'l> {
    limiter: &'l RateLimiter,
    stack: Stack,
    /// Dropping this returns nothing.
    decided: bool,
}

impl<'l> Claim<'l> {
    fn new(limiter: &'l RateLimiter, mut stack: Stack) -> Self {
        join(stack.iter_mut().filter(|member| member.is_charged()).map(|member| &mut member.request));
        let decided = !stack.iter().any(|member| member.is_charged() && member.is_permit());
        Self { limiter, stack, decided }
    }

    /// Decides, and asks again for permits as long as the limits allow it.
    async fn decide(&mut self) -> Result<Outcome, Refused> {
        let (started, longest) = (Instant::now(), self.longest_wait());
        // Registered before the first request, so that a permit that is returned meanwhile wakes this call.
        let mut waiter = (!longest.is_zero()).then(|| self.waiter());
        let mut refused_before = false;
        loop {
            let wait = longest.saturating_sub(started.elapsed());
            // The last request does not wait. Its refusal says when permits will be free at the latest.
            let mode = if refused_before && wait.is_zero() { Mode::Check } else { Mode::Charge };
            let outcome = self.ask(mode).await?;
            let Some(refused) = outcome.refused() else {
                self.finish(outcome.source);
                if let Some(waiter) = &mut waiter
                    && outcome.decisions.iter().all(|decision| decision.remaining() > 0)
                {
                    waiter.pass_on();
                }
                return Ok(outcome);
            };
            let decision = outcome.decisions[refused];
            let Some(waiter) = waiter.as_ref().filter(|_| !wait.is_zero() && self.may_ask_again(&outcome))
            else {
                self.decided = outcome.source == Source::Store && !self.has_ticket();
                return Err(Refused::Limited(self.position(refused), decision));
            };
            Error::unless_runtime()?;
            refused_before = true;
            let again = jittered(decision.retry_after().unwrap_or(wait).min(LONGEST_TIME)).min(wait);
            let _ = tokio::time::timeout(again, waiter.woken()).await;
        }
    }

    async fn ask(&self, mode: Mode) -> Result<Outcome, Error> {
        let requests: SmallVec<[&Request; 1]> = self.charged().map(|member| &member.request).collect();
        if requests.is_empty() {
            return Ok(Outcome { decisions: Decisions::new(), source: Source::Store });
        }
        self.limiter.decide_kept(mode, &requests).await
    }

    fn charged(&self) -> impl Iterator<Item = &Member> {
        self.stack.iter().filter(|member| member.is_charged())
    }

    /// The position in the stack of a limit, from its position among the charged ones.
    fn position(&self, charged: usize) -> usize {
        let positions = self.stack.iter().enumerate().filter(|(_, member)| member.is_charged());
        positions.map(|(at, _)| at).nth(charged).unwrap_or(charged)
    }

    /// Whether a refusal has left a ticket. Only a limit that is decided alone and whose calls wait leaves one.
    fn has_ticket(&self) -> bool {
        self.charged().count() == 1 && !self.longest_wait().is_zero()
    }

    /// The longest wait for permits, whose turn is not known in advance.
    fn longest_wait(&self) -> Duration {
        let waits = self.charged().filter(|member| member.is_permit());
        let waits = waits.map(|member| member.request.limit().longest_wait());
        waits.filter(|wait| !wait.is_zero()).min().unwrap_or_default()
    }

    /// Whether all refusals are by concurrency limits that wait and can ever admit the call.
    fn may_ask_again(&self, outcome: &Outcome) -> bool {
        let refused = self.charged().zip(&outcome.decisions).filter(|(_, decision)| !decision.allowed());
        refused.into_iter().all(|(member, decision)| {
            member.is_permit() && member.request.limit().wait_ms() > 0 && decision.retry_after().is_some()
        })
    }

    fn waiter(&self) -> PermitWaiter {
        let waits =
            self.charged().filter(|member| member.is_permit() && member.request.limit().wait_ms() > 0);
        self.limiter.shared.permit_waiters.wait_for(waits.map(|member| member.request.key()))
    }

    /// If the store did not decide, it may have given permits although its reply was lost. They are returned.
    fn finish(&mut self, source: Source) {
        self.decided = true;
        if source != Source::Store {
            self.return_permits(Source::Store);
        }
    }

    fn return_permits(&self, source: Source) {
        let permits = self.charged().filter(|member| member.is_permit());
        let members = permits.map(|member| Member::new(member.request.clone())).collect();
        drop(Holdings::new(self.limiter.clone(), source, members));
    }

    fn into_holdings(mut self, outcome: &Outcome) -> Holdings {
        let mut stack = std::mem::take(&mut self.stack);
        let charged = stack.iter_mut().filter(|member| member.is_charged());
        for (member, decision) in charged.zip(&outcome.decisions) {
            member.decision = Some(*decision);
        }
        Holdings::new(self.limiter.clone(), outcome.source, stack)
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        if !self.decided {
            self.return_permits(Source::Store);
            if self.limiter.shared.local.get().is_some() {
                self.return_permits(Source::Local);
            }
        }
    }
}

/// The holdings of a call that still waits for its turn. If this is dropped before the turn, everything is returned.
struct Turn(Option<Holdings>);

impl Turn {
    fn taken(mut self) -> Holdings {
        #[expect(clippy::expect_used, reason = "taken once, here")]
        self.0.take().expect("a turn")
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(mut holdings) = self.0.take() {
            holdings.give_all_back();
            holdings.finish_in_background();
        }
    }
}

/// Multiplies a pause by a random factor from 0.75 to 1.25, so that waiting calls do not all ask at once.
fn jittered(pause: Duration) -> Duration {
    use std::hash::{BuildHasher, RandomState};
    let [random, ..] = RandomState::new().hash_one(0).to_le_bytes();
    pause * 3 / 4 + pause / 2 * u32::from(random) / 255
}

//! `Claim`: decides a stack that may wait, or whose units can be returned. It charges the stack. If only permits are missing,
//! it asks the store again. `admit` then sleeps until the turn.

use super::holdings::Holdings;
use super::member::{Member, Stack, join};
use crate::clock::{LONGEST_TIME, timer};
use crate::decision::{Decision, Source};
use crate::error::Error;
use crate::limiter::RateLimiter;
use crate::limiter::layers::{Decided, longest_refusal};
use crate::limiter::permits::{PermitWaiter, Stage};
use crate::observe::Waiting;
use crate::random;
use crate::store::{Decisions, Mode, Request};
use smallvec::SmallVec;
use std::time::Duration;
use tokio::time::Instant;

/// The time until a waiting stack asks again: if it is the next call of this process, and otherwise. The store does not say it,
/// because a stack has no ticket. For a single limit, the store says the same times.
const NEXT_RETRY: Duration = Duration::from_millis(20);
const LATER_RETRY: Duration = Duration::from_millis(100);

/// Charges a stack, waits for its turn, and returns the call's holdings.
pub(super) async fn admit(
    limiter: &RateLimiter,
    began: Option<Instant>,
    stack: Stack,
) -> Result<Holdings, Refused> {
    let mut claim = Claim::new(limiter, began, stack);
    let decided = claim.decide().await?;
    let asked = claim.asked;
    let mut holdings = claim.into_holdings(&decided);
    holdings.until_turn = true;
    holdings.decide_shadows(asked).await;
    let delay = decided.decisions.iter().map(Decision::delay).max().unwrap_or_default();
    if delay > Duration::ZERO {
        let _waiting = Waiting::begin(holdings.waits());
        timer::sleep(delay).await?;
        holdings.outlast_pauses(delay).await?;
    }
    holdings.until_turn = false;
    Ok(holdings)
}

/// The reason why a call was not admitted.
pub(super) enum Refused {
    /// A limit refused the call. The decisions are about the limits that may refuse the call, in the order of the stack.
    Limited(Decided),
    /// The call could not be decided.
    Failed(Error),
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// A stack that is being decided.
struct Claim<'l> {
    limiter: &'l RateLimiter,
    /// The time at which the deadline of the next request begins. `None`: when the request is sent.
    began: Option<Instant>,
    /// The time at which the deadline of the last request began, if the store did not reply at once.
    asked: Option<Instant>,
    stack: Stack,
    /// The [`Stage`] of the permits and tickets that the store may have given to this call. `None` if the store has given no
    /// permit and no ticket. Dropping the claim returns the permits and tickets.
    in_store: Option<Stage>,
    /// Whether the local memory may have given a ticket to this call.
    in_memory: bool,
    /// The time for which the call has waited for permits. `None` if it has not waited.
    waited: Option<Duration>,
}

impl<'l> Claim<'l> {
    fn new(limiter: &'l RateLimiter, began: Option<Instant>, mut stack: Stack) -> Self {
        join(stack.iter_mut().filter(|member| !member.shadow).map(|member| &mut member.request));
        Self { limiter, began, asked: None, stack, in_store: None, in_memory: false, waited: None }
    }

    /// Decides the stack. If only permits are missing, asks again until the wait of the limits has passed.
    async fn decide(&mut self) -> Result<Decided, Refused> {
        let (started, longest) = (self.began.unwrap_or_else(Instant::now), self.permit_wait());
        // Registers the call before its first request, so that a permit that is returned in the meantime wakes the call.
        let mut waiter = (!longest.is_zero()).then(|| self.waiter()).flatten();
        let may_wait = longest.is_zero() || waiter.is_some();
        let mut waiting = None;
        loop {
            let wait = longest.saturating_sub(started.elapsed());
            // The last request uses mode `Check`, so it leaves no ticket. Its refusal says when the first lease ends.
            let is_last = waiting.is_some() && wait.is_zero();
            let mode = if is_last || !may_wait { Mode::Check } else { Mode::Charge };
            if is_last {
                // The deadline of the last request starts at the end of the wait, even if an earlier request was late.
                self.began = Some(started + longest);
            }
            let decided = self.ask(mode).await?;
            let Some(refused) = longest_refusal(&decided.decisions) else {
                self.finish(decided.source);
                self.waited = waiting.map(|_: Waiting| started.elapsed());
                if let Some(waiter) = &mut waiter
                    && decided.decisions.iter().all(|decision| decision.remaining() > 0)
                {
                    waiter.pass_on();
                }
                return Ok(decided);
            };
            let decision = decided.decisions[refused];
            let Some(waiter) = waiter.as_ref().filter(|_| !wait.is_zero() && self.may_ask_again(&decided))
            else {
                return Err(Refused::Limited(decided));
            };
            waiting.get_or_insert_with(|| {
                Waiting::begin(self.refused_by(&decided).map(|(member, _)| member.series))
            });
            // The reply has taken a part of the wait, so only the rest is left.
            let left = longest.saturating_sub(started.elapsed());
            let mut again = decision.retry_after().unwrap_or(wait).min(LONGEST_TIME);
            if self.charged().count() > 1 {
                again = again.min(if waiter.is_first() { NEXT_RETRY } else { LATER_RETRY });
            }
            let again = jittered(again).min(left);
            timer::timeout(again, waiter.woken()).await?;
        }
    }

    /// Asks the store, and notes which permits and tickets it may have given to this call.
    async fn ask(&mut self, mode: Mode) -> Result<Decided, Error> {
        let began = std::mem::take(&mut self.began);
        let Self { limiter, asked, stack, in_store, .. } = self;
        *asked = None;
        let charged = stack.iter().filter(|member| !member.shadow);
        let requests: SmallVec<[&Request; 1]> = charged.map(|member| &member.request).collect();
        if requests.is_empty() {
            return Ok(Decided { decisions: Decisions::new(), source: Source::Store });
        }
        let before = *in_store;
        let decided = match limiter.decide(began, mode, &requests, |decided| decided.map(Decided::copy)) {
            Ok(decided) => decided,
            Err(reply) => {
                // The store may decide even if its reply does not arrive.
                *in_store = Some(Stage::Lost);
                *asked = Some(began.unwrap_or_else(Instant::now));
                reply.await
            }
        };
        drop(requests);
        match &decided {
            // A store that replies with an error has taken nothing.
            Err(error) if !error.is_transient() => self.in_store = before,
            // The reply to an earlier request may still be missing. Then the stage stays `Lost`.
            Ok(decided) if decided.source == Source::Store && before != Some(Stage::Lost) => {
                let has_ticket = (mode == Mode::Charge || before.is_some()) && self.has_ticket();
                let may_hold = longest_refusal(&decided.decisions).is_none() || has_ticket;
                self.in_store = may_hold.then_some(Stage::Returned);
            }
            Ok(decided) => self.in_memory |= decided.source == Source::Local,
            Err(_) => {}
        }
        decided
    }

    fn charged(&self) -> impl Iterator<Item = &Member> {
        self.stack.iter().filter(|member| !member.shadow)
    }

    /// Whether a refusal has left a ticket. For a ticket, the call must have a single limit, calls must be able to wait for
    /// permits of this limit, and this call must leave no units to others. No store gives a ticket to a stack.
    fn has_ticket(&self) -> bool {
        self.charged().count() == 1
            && !self.permit_wait().is_zero()
            && self.charged().all(|member| member.request.keep() == 0)
    }

    /// Returns how long the call may wait for permits. This is the shortest wait of the concurrency limits with a wait. It is
    /// zero if no limit has one.
    fn permit_wait(&self) -> Duration {
        let waits = self.charged().filter(|member| member.waits_for_permits());
        waits.map(|member| member.request.limit().longest_wait()).min().unwrap_or_default()
    }

    fn refused_by<'c>(&'c self, decided: &'c Decided) -> impl Iterator<Item = (&'c Member, &'c Decision)> {
        self.charged().zip(&decided.decisions).filter(|(_, decision)| !decision.is_allowed())
    }

    /// Whether every limit that refused is a concurrency limit whose calls wait, and can admit the call later.
    fn may_ask_again(&self, decided: &Decided) -> bool {
        let mut refused = self.refused_by(decided);
        refused.all(|(member, decision)| member.waits_for_permits() && decision.retry_after().is_some())
    }

    /// Registers the call to be woken by returned permits. A call that leaves units to others is not woken, because one
    /// returned permit may be too few for this call, but enough for another call. Returns `None` if too many calls wait.
    fn waiter(&self) -> Option<PermitWaiter> {
        let waits = |member: &&Member| member.waits_for_permits() && member.request.keep() == 0;
        let keys = self.charged().filter(waits).map(|member| member.request.key());
        self.limiter.shared.permits.waiters.wait_for(keys)
    }

    /// Ends the claim of an admitted call. If the store did not decide, it may still have given permits in a reply that did not
    /// arrive, so these permits are returned.
    fn finish(&mut self, source: Source) {
        let in_store = self.in_store.take();
        self.in_memory = false;
        if let Some(stage) = in_store
            && source != Source::Store
        {
            self.return_permits(Source::Store, stage);
        }
    }

    fn return_permits(&self, source: Source, stage: Stage) {
        self.charged().for_each(|member| member.release(self.limiter, source, stage));
    }

    fn into_holdings(mut self, decided: &Decided) -> Holdings {
        let mut stack = std::mem::take(&mut self.stack);
        let charged = stack.iter_mut().filter(|member| !member.shadow);
        for (member, decision) in charged.zip(&decided.decisions) {
            member.decision = Some(*decision);
        }
        let sent = self.asked.unwrap_or_else(Instant::now);
        let mut holdings = Holdings::new(self.limiter.clone(), decided.source, stack, sent);
        holdings.waited = self.waited;
        holdings
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        if let Some(stage) = self.in_store {
            self.return_permits(Source::Store, stage);
        }
        if self.in_memory {
            self.return_permits(Source::Local, Stage::Returned);
        }
    }
}

/// Multiplies a pause by a random factor from 0.75 to 1.25, so that waiting calls do not all ask at once.
fn jittered(pause: Duration) -> Duration {
    let [random, ..] = random::bits().to_le_bytes();
    pause * 3 / 4 + pause / 2 * u32::from(random) / 255
}

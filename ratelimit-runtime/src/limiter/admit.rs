//! Admits calls that wait or whose units can be returned: charges, sleeps until the turn, asks again for permits.

use super::decided::{Decided, Source, invalid_reply};
use super::holdings::Holdings;
use super::permit_waiters::PermitWaiter;
use super::refused::{Refusal, Refused};
use super::renewals::Stage;
use super::stack::{Member, Stack, join};
use super::{LONGEST_TIME, RateLimiter};
use crate::clock::timer;
use crate::decision::Decision;
use crate::error::Error;
use crate::key::LimitName;
use crate::observe::{LimitSeries, Waiting, Watch, exempt};
use crate::rejection::Rejection;
use crate::store::{Decisions, Mode, Request};
use smallvec::SmallVec;
use std::time::Duration;
use tokio::time::Instant;

impl RateLimiter {
    /// Admits a call of one limit. Returns what the call holds, and the decision.
    pub(super) async fn admit_one(
        &self,
        name: &str,
        request: Result<Request, Error>,
    ) -> Result<(Holdings, Decision), Rejection> {
        if let Ok(request) = &request
            && self.is_off()
        {
            exempt(name);
            return Ok(self.admit_unlimited(request));
        }
        let watch = Watch::of(self, name, request.as_ref().into_iter());
        let admitted = match request {
            Ok(request) => self.clone().admit(Stack::from_iter([Member::new(request).named(name)])).await,
            Err(error) => Err(error.into()),
        };
        watch.finished(1, |_| name, &admitted);
        let admitted = admitted.and_then(|holdings| {
            let decision = holdings.decision().ok_or_else(invalid_reply)?;
            Ok((holdings, decision))
        });
        admitted.map_err(|refused| refused.rejection(LimitName::copy(name)))
    }

    /// Charges a stack, waits for its turn, and returns what the call holds.
    ///
    /// If the future is dropped after the store has replied, everything is returned. If it is dropped before, the units may
    /// have been taken, and permits are returned.
    pub(crate) async fn admit(self, mut stack: Stack) -> Result<Holdings, Refused> {
        let peeked_by = self.peek_at_charged_after(&mut stack).await?;
        let mut claim = Claim::new(&self, stack, peeked_by);
        let decided = claim.decide().await?;
        let mut waiting = UntilTurn(Some(claim.into_holdings(&decided)));
        if let Some(holdings) = &mut waiting.0 {
            holdings.decide_shadows().await;
        }
        let delay = decided.decisions.iter().map(Decision::delay).max().unwrap_or_default();
        if delay > Duration::ZERO {
            let _waiting = Waiting::begin(waiting.series());
            timer::sleep(delay).await?;
        }
        Ok(waiting.into_holdings())
    }

    /// Refuses the call if a limit that is charged after it has too few free units before it. Returns who has decided that.
    async fn peek_at_charged_after(&self, stack: &mut Stack) -> Result<Source, Refused> {
        let is_charged_after = |member: &Member| member.charge_after && !member.shadow;
        let positions: SmallVec<[usize; 2]> =
            (0..stack.len()).filter(|at| is_charged_after(&stack[*at])).collect();
        if positions.is_empty() {
            return Ok(Source::Store);
        }
        let requests: SmallVec<[&Request; 2]> = positions.iter().map(|at| &stack[*at].request).collect();
        let decided = self.decide_borrowed(Mode::Peek, &requests, || {}).await?;
        if let Some(at) = decided.refused() {
            return Err(refused(&decided, at, positions.iter().copied()));
        }
        drop(requests);
        for (at, decision) in positions.iter().zip(&decided.decisions) {
            stack[*at].peeked = Some(*decision).filter(|_| decided.is_by_limits());
        }
        Ok(decided.source)
    }
}

/// The refusal by the limit at the place `refused` of what was decided. Its limits have these positions in the stack.
fn refused(decided: &Decided, refused: usize, positions: impl Iterator<Item = usize>) -> Refused {
    let all: SmallVec<[(usize, Decision); 1]> = positions.zip(decided.decisions.iter().copied()).collect();
    let (at, decision) = all[refused];
    Refused::Limited(Box::new(Refusal { at, decision, all, source: decided.source }))
}

/// A stack that is being decided.
struct Claim<'l> {
    limiter: &'l RateLimiter,
    stack: Stack,
    /// Who has decided about the limits that are charged after the call.
    peeked_by: Source,
    /// The stage of the permits and tickets that the store may have given to this call. `None`: the store has given none. Dropping the
    /// claim returns them.
    in_store: Option<Stage>,
    /// Whether the local memory may have given a ticket.
    in_memory: bool,
    /// How long the call has waited for permits, if it has.
    waited: Option<Duration>,
}

impl<'l> Claim<'l> {
    fn new(limiter: &'l RateLimiter, mut stack: Stack, peeked_by: Source) -> Self {
        join(stack.iter_mut().filter(|member| member.is_charged()).map(|member| &mut member.request));
        Self { limiter, stack, peeked_by, in_store: None, in_memory: false, waited: None }
    }

    /// Decides, and asks again for permits as long as the limits allow it.
    async fn decide(&mut self) -> Result<Decided, Refused> {
        let (started, longest) = (Instant::now(), self.permit_wait());
        // Registered before the first request, so that a permit that is returned meanwhile wakes this call.
        let mut waiter = (!longest.is_zero()).then(|| self.waiter());
        let mut waiting = None;
        loop {
            let wait = longest.saturating_sub(started.elapsed());
            // `Check`, so that the last request leaves no ticket. Its refusal says when the first lease ends.
            let mode = if waiting.is_some() && wait.is_zero() { Mode::Check } else { Mode::Charge };
            let decided = self.ask(mode).await?;
            let Some(refused) = decided.refused() else {
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
                return Err(self::refused(&decided, refused, self.positions()));
            };
            waiting.get_or_insert_with(|| {
                Waiting::begin(self.refused_by(&decided).map(|(member, _)| member.series))
            });
            let again = jittered(decision.retry_after().unwrap_or(wait).min(LONGEST_TIME)).min(wait);
            timer::timeout(again, waiter.woken()).await?;
        }
    }

    /// Asks the store, and notes what it may have given to this call.
    async fn ask(&mut self, mode: Mode) -> Result<Decided, Error> {
        let Self { limiter, stack, in_store, .. } = self;
        let charged = stack.iter().filter(|member| member.is_charged());
        let requests: SmallVec<[&Request; 1]> = charged.map(|member| &member.request).collect();
        if requests.is_empty() {
            return Ok(Decided { decisions: Decisions::new(), source: self.peeked_by });
        }
        let before = *in_store;
        let decided = limiter.decide_borrowed(mode, &requests, || *in_store = Some(Stage::Lost)).await;
        drop(requests);
        match &decided {
            // A store that replies with an error has taken nothing.
            Err(error) if !error.is_transient() => self.in_store = before,
            // A reply to an earlier request may still be missing.
            Ok(decided) if decided.source == Source::Store && before != Some(Stage::Lost) => {
                let may_hold = decided.refused().is_none() || self.has_ticket();
                self.in_store = may_hold.then_some(Stage::Returned);
            }
            Ok(decided) => self.in_memory |= decided.source == Source::Local,
            Err(_) => {}
        }
        decided
    }

    fn charged(&self) -> impl Iterator<Item = &Member> {
        self.stack.iter().filter(|member| member.is_charged())
    }

    /// The positions of the charged limits in the stack.
    fn positions(&self) -> impl Iterator<Item = usize> {
        self.stack.iter().enumerate().filter(|(_, member)| member.is_charged()).map(|(at, _)| at)
    }

    /// Whether a refusal has left a ticket. Only a limit that is decided alone and whose calls wait leaves one.
    fn has_ticket(&self) -> bool {
        self.charged().count() == 1 && !self.permit_wait().is_zero()
    }

    /// How long the call may wait for permits: the shortest wait of its concurrency limits that wait. Zero if none waits.
    fn permit_wait(&self) -> Duration {
        let waits = self.charged().filter(|member| member.is_permit());
        let waits = waits.map(|member| member.request.limit().longest_wait());
        waits.filter(|wait| !wait.is_zero()).min().unwrap_or_default()
    }

    fn refused_by<'c>(&'c self, decided: &'c Decided) -> impl Iterator<Item = (&'c Member, &'c Decision)> {
        self.charged().zip(&decided.decisions).filter(|(_, decision)| !decision.allowed())
    }

    /// Whether all refusals are by concurrency limits that wait and can ever admit the call.
    fn may_ask_again(&self, decided: &Decided) -> bool {
        self.refused_by(decided).all(|(member, decision)| {
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
        let in_store = self.in_store.take();
        self.in_memory = false;
        if let Some(stage) = in_store
            && source != Source::Store
        {
            self.return_permits(Source::Store, stage);
        }
    }

    fn return_permits(&self, source: Source, stage: Stage) {
        for member in self.charged().filter(|member| member.is_permit()) {
            self.limiter.shared.renewals.release(self.limiter, source, &member.request, stage);
        }
    }

    fn into_holdings(mut self, decided: &Decided) -> Holdings {
        let mut stack = std::mem::take(&mut self.stack);
        let charged = stack.iter_mut().filter(|member| member.is_charged());
        for (member, decision) in charged.zip(&decided.decisions) {
            member.decision = Some(*decision);
        }
        let mut holdings = Holdings::new(self.limiter.clone(), decided.source, stack);
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

/// The holdings of a call that still waits for its turn. If this is dropped before the turn, everything is returned.
struct UntilTurn(Option<Holdings>);

impl UntilTurn {
    /// The measurements of the limits that make the call wait.
    fn series(&self) -> impl Iterator<Item = LimitSeries> {
        let members = self.0.iter().flat_map(Holdings::members);
        let waits =
            |member: &&Member| member.decision().is_some_and(|decision| decision.delay() > Duration::ZERO);
        members.filter(move |member| !member.shadow && waits(member)).map(|member| member.series)
    }

    fn into_holdings(mut self) -> Holdings {
        #[expect(clippy::expect_used, reason = "taken once, here")]
        self.0.take().expect("holdings")
    }
}

impl Drop for UntilTurn {
    fn drop(&mut self) {
        if let Some(mut holdings) = self.0.take() {
            holdings.give_all_back();
        }
    }
}

/// Multiplies a pause by a random factor from 0.75 to 1.25, so that waiting calls do not all ask at once.
fn jittered(pause: Duration) -> Duration {
    use std::hash::{BuildHasher, RandomState};
    let [random, ..] = RandomState::new().hash_one(0).to_le_bytes();
    pause * 3 / 4 + pause / 2 * u32::from(random) / 255
}

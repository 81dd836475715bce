//! Admission of calls that wait, or whose units may come back: charging, sleeping until the turn, asking again for a
//! permit.

use super::asked::{Asked, Stack, joined};
use super::decide::{Outcome, Source};
use super::held::{Held, Member};
use super::wake::Waiter;
use super::{FAR, RateLimiter};
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
    /// Charges a stack, waits for its turn, and hands over what is held.
    ///
    /// Dropped after the store has answered, it gives everything back; dropped before, the units may have been taken or
    /// not, and permits are given back.
    pub(crate) async fn admit(self, stack: Stack) -> Result<Held, Refused> {
        self.look_at_later_ones(&stack).await?;
        let mut claim = Claim::new(&self, stack);
        let outcome = claim.decide().await?;
        let mut turn = Turn(Some(claim.into_held(&outcome)));
        if let Some(held) = &mut turn.0 {
            held.ask_shadows().await;
        }
        let delay = outcome.decisions.iter().map(Decision::delay).max().unwrap_or_default();
        if delay > Duration::ZERO {
            Error::unless_runtime()?;
            tokio::time::sleep(delay).await;
        }
        Ok(turn.taken())
    }

    /// Units that are taken after the call have to be free before it.
    async fn look_at_later_ones(&self, stack: &Stack) -> Result<(), Refused> {
        let later: SmallVec<[usize; 2]> = stack
            .iter()
            .enumerate()
            .filter(|(_, asked)| asked.later && !asked.aside)
            .map(|(at, _)| at)
            .collect();
        if later.is_empty() {
            return Ok(());
        }
        let requests: SmallVec<[Request<'_>; 2]> = later.iter().map(|at| stack[*at].request()).collect();
        let outcome = self.decide_kept(Mode::Peek, &requests).await?;
        match outcome.refused() {
            Some(at) => Err(Refused::Limited(later[at], outcome.decisions[at])),
            None => Ok(()),
        }
    }
}

/// A stack that is being decided. Dropped before it is settled, it gives back permits and tickets that it may have.
struct Claim<'l> {
    limiter: &'l RateLimiter,
    stack: Stack,
    settled: bool,
}

impl<'l> Claim<'l> {
    fn new(limiter: &'l RateLimiter, stack: Stack) -> Self {
        let settled = !stack.iter().any(|asked| asked.is_charged() && asked.limit.is_concurrency());
        Self { limiter, stack, settled }
    }

    /// Decides, and asks again for permits as long as the limits say.
    async fn decide(&mut self) -> Result<Outcome, Refused> {
        let (started, longest) = (Instant::now(), self.patience());
        // Before the first question: a permit that comes back while the answer is under way has somebody to wake.
        let mut waiter = (!longest.is_zero()).then(|| self.waiter());
        let mut refused_before = false;
        loop {
            let patience = longest.saturating_sub(started.elapsed());
            // The last time as one that does not wait, so that the answer says when permits will be free at the latest.
            let mode = if refused_before && patience.is_zero() { Mode::Check } else { Mode::Charge };
            let outcome = self.ask(mode).await?;
            let Some(refused) = outcome.refused() else {
                self.settle(outcome.source);
                if let Some(waiter) = &mut waiter
                    && outcome.decisions.iter().all(|decision| decision.remaining() > 0)
                {
                    waiter.pass_on();
                }
                return Ok(outcome);
            };
            let decision = outcome.decisions[refused];
            let Some(waiter) =
                waiter.as_ref().filter(|_| !patience.is_zero() && self.may_ask_again(&outcome))
            else {
                self.settled = outcome.source == Source::Store && !self.has_ticket();
                return Err(Refused::Limited(self.position(refused), decision));
            };
            Error::unless_runtime()?;
            refused_before = true;
            let again = jittered(decision.retry_after().unwrap_or(patience).min(FAR)).min(patience);
            // Woken when a permit of this process comes back.
            let _ = tokio::time::timeout(again, waiter.woken()).await;
        }
    }

    async fn ask(&self, mode: Mode) -> Result<Outcome, Error> {
        let requests = joined(self.charged().map(Asked::request));
        if requests.is_empty() {
            return Ok(Outcome { decisions: Decisions::new(), source: Source::Store });
        }
        self.limiter.decide_kept(mode, &requests).await
    }

    fn charged(&self) -> impl Iterator<Item = &Asked> {
        self.stack.iter().filter(|asked| asked.is_charged())
    }

    /// From a position among those that are charged to that in the stack.
    fn position(&self, charged: usize) -> usize {
        let positions = self.stack.iter().enumerate().filter(|(_, asked)| asked.is_charged());
        positions.map(|(at, _)| at).nth(charged).unwrap_or(charged)
    }

    /// Whether a refusal has left a ticket: that of one limit alone, whose calls wait.
    fn has_ticket(&self) -> bool {
        self.charged().count() == 1 && !self.patience().is_zero()
    }

    /// How long it waits for permits; nobody knows their turn.
    fn patience(&self) -> Duration {
        let waits = self.charged().filter(|asked| asked.limit.is_concurrency());
        waits.map(|asked| asked.limit.longest_wait()).filter(|wait| !wait.is_zero()).min().unwrap_or_default()
    }

    /// Whether only permits are wanting, and can ever be had.
    fn may_ask_again(&self, outcome: &Outcome) -> bool {
        self.charged().zip(&outcome.decisions).filter(|(_, decision)| !decision.allowed()).all(
            |(asked, decision)| {
                asked.limit.is_concurrency() && asked.limit.wait_ms() > 0 && decision.retry_after().is_some()
            },
        )
    }

    fn waiter(&self) -> Waiter {
        let waits = self.charged().filter(|asked| asked.limit.is_concurrency() && asked.limit.wait_ms() > 0);
        self.limiter.shared.wake.wait_for(waits.map(|asked| asked.key.as_store_key()))
    }

    /// Decided by another than the store, which may have given permits all the same, without anybody's knowing.
    fn settle(&mut self, source: Source) {
        self.settled = true;
        if source != Source::Store {
            self.give_back(Source::Store);
        }
    }

    fn give_back(&self, source: Source) {
        let mut held = Held::new(self.limiter.clone(), source);
        for asked in self.charged().filter(|asked| asked.limit.is_concurrency()) {
            held.push(Member::new(asked.clone(), None));
        }
    }

    fn into_held(mut self, outcome: &Outcome) -> Held {
        let mut held = Held::new(self.limiter.clone(), outcome.source);
        let mut decisions = outcome.decisions.iter().copied();
        for asked in std::mem::take(&mut self.stack) {
            let decision = if asked.is_charged() { decisions.next() } else { None };
            held.push(Member::new(asked, decision));
        }
        held
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        if !self.settled {
            self.give_back(Source::Store);
            if self.limiter.shared.local.get().is_some() {
                self.give_back(Source::Local);
            }
        }
    }
}

/// What is held before the call goes on. Dropped until then, all of it is given back.
struct Turn(Option<Held>);

impl Turn {
    fn taken(mut self) -> Held {
        #[expect(clippy::expect_used, reason = "taken once, here")]
        self.0.take().expect("a turn")
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(mut held) = self.0.take() {
            held.give_all_back();
            held.finish_in_background();
        }
    }
}

/// A quarter more or less, so that those who wait do not come in step.
fn jittered(pause: Duration) -> Duration {
    use std::hash::{BuildHasher, RandomState};
    let [chance, ..] = RandomState::new().hash_one(0).to_le_bytes();
    pause * 3 / 4 + pause / 2 * u32::from(chance) / 255
}

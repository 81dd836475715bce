//! `Run`: makes the operations of one check on the store, and records each of them with its reply.

use super::ask::{Ask, shown};
use crate::decision::Decision;
use crate::error::Error;
use crate::key::StoreKey;
use crate::limit::Limit;
use crate::store::{Adjustment, Change, Mode, Reply, Request, Store};
use std::cell::Cell;
use std::fmt::Display;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(super) type Pass<'s> = &'s dyn Fn(Duration) -> Pin<Box<dyn Future<Output = ()> + 's>>;

/// The store under test and its clock.
pub(super) struct Setting<'s> {
    pub(super) store: &'s Arc<dyn Store>,
    pub(super) pass: Pass<'s>,
    pub(super) supports: &'s dyn Fn(&Limit) -> bool,
    pub(super) clock_runs: bool,
    pub(super) seed: u64,
    /// The number of runs so far. Each run has its own keys.
    pub(super) keys: Cell<u32>,
    /// The time that has passed since the suite began.
    pub(super) passed: Cell<Duration>,
    /// The date at which the suite began, in µs since 1970, if it was found out.
    pub(super) began: Cell<Option<u64>>,
}

impl Setting<'_> {
    /// Whether the definitions know the date of the store's clock.
    pub(super) const fn knows_date(&self) -> bool {
        self.began.get().is_some()
    }

    /// The date in µs since 1970. If the date is not known, any date that advances in the same way.
    pub(super) fn now_us(&self) -> u64 {
        let passed = u64::try_from(self.passed.get().as_micros()).unwrap_or(u64::MAX);
        self.began.get().unwrap_or(ANY_DATE).saturating_add(passed)
    }
}

/// Some date, in µs since 1970.
const ANY_DATE: u64 = 1_763_000_000_000_000;

/// The reason why a check ended early.
pub(super) enum Stop {
    /// The rule is broken: the sentence, and the operations that led to it.
    Failed(String, Vec<String>),
    /// The store does not support what the check needs.
    Skipped(String),
}

pub(super) type Checked<T = ()> = Result<T, Stop>;

/// The first bytes of all keys.
const PREFIX: &str = "conformance:";

pub(super) const MS: Duration = Duration::from_millis(1);

/// The time by which a clock that moves by itself may have advanced between two operations. Checks make no operation within
/// this distance of a time at which something changes.
const TOLERANCE: Duration = Duration::from_millis(500);

pub(super) struct Run<'s> {
    setting: &'s Setting<'s>,
    number: u32,
    permits: u64,
    began: Instant,
    passed: Duration,
    operations: Vec<String>,
}

impl<'s> Run<'s> {
    pub(super) fn new(setting: &'s Setting<'s>) -> Self {
        setting.keys.set(setting.keys.get() + 1);
        let (number, began) = (setting.keys.get(), Instant::now());
        Self { setting, number, permits: 1, began, passed: Duration::ZERO, operations: Vec::new() }
    }

    /// Creates a run on the same store with other keys.
    pub(super) fn anew(&self) -> Self {
        Self::new(self.setting)
    }

    pub(super) fn store(&self) -> &'s Arc<dyn Store> {
        self.setting.store
    }

    pub(super) fn random(&self) -> fastrand::Rng {
        fastrand::Rng::with_seed(self.setting.seed)
    }

    /// The time that has passed in this run.
    pub(super) const fn passed(&self) -> Duration {
        self.passed
    }

    /// The time that has passed in this run by the clock of this machine.
    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Whether the clock of the store moves only when the check moves it.
    pub(super) const fn is_exact(&self) -> bool {
        !self.setting.clock_runs
    }

    /// Ends the check if the store does not support a limit.
    pub(super) fn needs(&self, limit: &Limit) -> Checked {
        if (self.setting.supports)(limit) {
            return Ok(());
        }
        Err(Stop::Skipped(format!("it needs `{limit}`, which the store does not support")))
    }

    /// Ends the check if the clock of the store moves by itself.
    pub(super) fn needs_exact_clock(&self) -> Checked {
        if self.is_exact() {
            return Ok(());
        }
        Err(Stop::Skipped("the clock of the store moves by itself".to_owned()))
    }

    /// Whether a clock that moves by itself is more than [`TOLERANCE`] ahead of the check, because the machine has stalled.
    pub(super) fn has_stalled(&self) -> bool {
        !self.is_exact() && self.began.elapsed() > self.passed + TOLERANCE
    }

    /// The id of a permit that this run has not used before.
    pub(super) fn fresh_permit(&mut self) -> u64 {
        self.permits += 1;
        self.permits
    }

    /// All keys of a run have the same tag, so that a cluster has them on one node.
    pub(super) fn key(&self, label: impl AsRef<[u8]>, limit: &Limit) -> StoreKey {
        let (begin, end) = (format!("{PREFIX}{{{}}}:", self.number), limit.algorithm().state_format());
        StoreKey::new(&[begin.as_bytes(), label.as_ref(), b":", end.as_bytes()].concat())
    }

    pub(super) fn request(&self, ask: &Ask<'_>) -> Request {
        let request = Request::new(self.key(ask.label, &ask.limit), ask.limit, ask.cost);
        let request = request.with_permit(ask.permit).with_keep(ask.keep);
        if ask.with_next { request.with_next() } else { request }
    }

    /// Lets time pass for the store.
    pub(super) async fn pass(&mut self, time: Duration) {
        (self.setting.pass)(time).await;
        self.passed += time;
        self.setting.passed.set(self.setting.passed.get() + time);
    }

    /// The operations so far, at most the last `most`.
    pub(super) fn last_operations(&mut self, most: usize) -> Vec<String> {
        let operations = std::mem::take(&mut self.operations);
        operations[operations.len().saturating_sub(most)..].to_vec()
    }

    /// Creates the failure of the check. `sentence` says what the store did wrong.
    pub(super) fn fail(&mut self, sentence: impl Into<String>) -> Stop {
        Stop::Failed(sentence.into(), std::mem::take(&mut self.operations))
    }

    pub(super) fn expect(&mut self, is_so: bool, sentence: impl Into<String>) -> Checked {
        if is_so { Ok(()) } else { Err(self.fail(sentence)) }
    }

    /// Records an operation.
    pub(super) fn note(&mut self, operation: impl Display) {
        let number = self.operations.len() + 1;
        self.operations.push(format!("{number}. after {:?}: {operation}", self.passed));
    }

    /// Awaits a reply that must not be an error.
    pub(super) async fn reply<T: Unpin>(&mut self, what: &str, reply: Reply<T>) -> Checked<T> {
        match reply.await {
            Ok(value) => Ok(value),
            Err(error) => {
                self.note(format_args!("{what}: {error}"));
                Err(self.fail(format!("the store failed: {error}")))
            }
        }
    }

    /// Decides requests in one call.
    pub(super) async fn decide(&mut self, mode: Mode, asks: &[Ask<'_>]) -> Checked<Vec<Decision>> {
        asks.iter().try_for_each(|ask| self.needs(&ask.limit))?;
        let requests: Vec<Request> = asks.iter().map(|ask| self.request(ask)).collect();
        let reply = self.setting.store.decide(mode, &requests.iter().collect::<Vec<_>>());
        let decisions = self.reply("decide", reply).await?.to_vec();
        if decisions.len() != asks.len() {
            let found = decisions.len();
            return Err(self.fail(format!("the store made {found} decisions about {} requests", asks.len())));
        }
        for (ask, decision) in asks.iter().zip(&decisions) {
            self.note(shown(mode, ask, decision));
        }
        Ok(decisions)
    }

    /// Decides one request under the key `a`. Each request of a concurrency limit has a different id.
    pub(super) async fn ask(&mut self, mode: Mode, limit: Limit, cost: u32) -> Checked<Decision> {
        let permit = self.fresh_permit();
        Ok(self.decide(mode, &[Ask::new("a", limit, cost).permit(permit)]).await?[0])
    }

    /// Takes units. Fails if the store refuses the call.
    pub(super) async fn take(&mut self, limit: Limit, cost: u32) -> Checked {
        let decision = self.ask(Mode::Check, limit, cost).await?;
        self.expect(decision.is_allowed(), "the store refused a call, although the limit had units left")
    }

    pub(super) async fn peek(&mut self, limit: Limit) -> Checked<Decision> {
        self.ask(Mode::Peek, limit, 1).await
    }

    /// Makes an adjustment under the key `a`. Returns the number in the store's reply.
    pub(super) async fn adjust(&mut self, limit: Limit, units: u32, change: Change) -> Checked<u32> {
        self.needs(&limit)?;
        let adjustment = Adjustment::new(self.key("a", &limit), limit, units, change);
        let reply = self.setting.store.adjust(&[adjustment]);
        let adjusted = self.reply("adjust", reply).await?;
        let [changed] = adjusted[..] else {
            return Err(
                self.fail(format!("the store replied to one adjustment with {} numbers", adjusted.len()))
            );
        };
        let what = match change {
            Change::Give(stamp) => format!("return {units} units of the charge {stamp}"),
            Change::Take => format!("take {units} units"),
            Change::Used => "ask for the units in use".to_owned(),
            Change::Renew(id) => format!("renew permit {id}"),
            Change::Block(ms) => format!("block for {ms} ms"),
            Change::Open => "end the block".to_owned(),
            Change::Pause(ms) => format!("pause for {ms} ms"),
            Change::Closed => "ask how long it is closed".to_owned(),
        };
        self.note(format_args!("{what} under `a`: {changed}"));
        Ok(changed)
    }

    /// Awaits a reply that must be an error, and returns the error. The error must not contain a key.
    pub(super) async fn error_of<T: Unpin>(&mut self, what: &str, reply: Reply<T>) -> Checked<Error> {
        match reply.await {
            Err(error) => {
                self.note(format_args!("{what}: error: {error}"));
                let contains_key = format!("{error} {error:?}").contains(PREFIX);
                self.expect(!contains_key, "the store replied with an error that contains a key")?;
                Ok(error)
            }
            Ok(_) => Err(self.fail(format!("the store accepted {what}"))),
        }
    }

    /// Resets keys. Returns the number of keys that had a state.
    pub(super) async fn reset(&mut self, keys: &[StoreKey]) -> Checked<u64> {
        let existed = self.reply("reset", self.setting.store.reset(keys)).await?;
        self.note(format_args!("reset of {} keys: {existed} existed", keys.len()));
        Ok(existed)
    }

    /// Asserts that a call is refused until exactly `retry_after`, and that this time is at most `longest`.
    pub(super) async fn passes_at_retry_after(&mut self, limit: Limit, longest: Duration) -> Checked {
        let refused = self.ask(Mode::Check, limit, 1).await?;
        let Some(wait) = refused.retry_after() else {
            return Err(self.fail("the store did not say after which time a refused call would pass"));
        };
        self.expect(wait >= MS, "the store reported a `retry_after` below 1 ms")?;
        self.expect(
            wait <= longest,
            format!("the store reported `retry_after` {wait:?}, and it is at most {longest:?}"),
        )?;
        if self.is_exact() {
            self.pass(wait.saturating_sub(MS)).await;
            let early = self.peek(limit).await?;
            self.expect(!early.is_allowed(), "the store would admit a call 1 ms before `retry_after`")?;
            self.pass(MS).await;
        } else {
            self.pass(wait).await;
        }
        let passes = self.ask(Mode::Check, limit, 1).await?;
        self.expect(passes.is_allowed(), "the store refused a call again after exactly `retry_after`")
    }

    /// Whether a time is as expected. If the clock moves by itself, the time may be shorter by [`TOLERANCE`].
    pub(super) fn is_time(&self, found: Duration, expected: Duration) -> bool {
        let shortest = if self.is_exact() { expected } else { expected.saturating_sub(TOLERANCE) };
        (shortest..=expected).contains(&found)
    }
}

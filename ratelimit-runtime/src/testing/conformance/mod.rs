//! The conformance suite for stores. It checks a [`Store`] against the definitions of the algorithms and the contract of the
//! trait.
//!
//! Give the suite an empty store, and a closure that moves the store's clock. Most stores have a clock for tests:
//!
//! ```
//! use ratelimit::MemoryStore; // or your own store
//! use ratelimit::clock::ManualClock;
//! use ratelimit::testing::conformance::Suite;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let clock = ManualClock::new();
//! let store = MemoryStore::with_clock(clock.clone());
//! let report = Suite::new(store, async |time| clock.advance(time)).operations(200).check().await;
//! assert!(report.is_passed(), "{report}");
//! println!("{report}"); // also names what the store does not support
//! # }
//! ```
//!
//! The suite checks these rules in plain sequences of operations: the bound of each algorithm, `retry_after` to the
//! millisecond, large batches, stacks that pass as a whole or not at all, refunds, turns, permits and their leases, peeks,
//! resets, limits that change under a key, blocks, pauses, windows of the calendar and their zones, overrides, calls and
//! adjustments that arrive at the same time, a cost of zero, similar and long keys, and errors.
//!
//! After these rules, it makes random operations, and compares each field of each decision with the textbook definition of the
//! algorithm. The operations are requests and stacks of requests in each mode, adjustments, blocks, pauses and resets, on limits
//! of each algorithm, whose numbers change. A failing random sequence is shortened.
//!
//! Each broken rule is a [`Failure`]: a sentence that says what the store did wrong, and the operations that led to the
//! failure.
//!
//! [`docs::stores`](crate::docs::stores) shows how to write a store.

#[doc(hidden)]
#[allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "the numbers of the suite fit")]
pub mod definitions;
#[doc(hidden)]
#[allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "the numbers of the suite fit")]
#[allow(clippy::should_implement_trait, reason = "traffic does not end")]
pub mod random;

mod ask;
mod cases;
mod report;
mod run;

pub use report::{Failure, Report};

use crate::limit::Limit;
use crate::macros::opaque;
use crate::store::Store;
use cases::{CASES, Case};
use random::date;
use random::limits::SEQUENCES;
use random::sequence;
use run::{Run, Setting, Stop};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// Checks a store. It needs the feature `conformance`.
///
/// Call [`check`](Self::check) in a tokio runtime. In a runtime with several threads, the suite makes simultaneous calls in
/// parallel.
#[must_use = "a suite checks nothing before `check`"]
pub struct Suite<P> {
    store: Arc<dyn Store>,
    pass: P,
    supports: Box<dyn Fn(&Limit) -> bool>,
    clock_runs: bool,
    seed: u64,
    operations: usize,
}

impl<P: AsyncFn(Duration)> Suite<P> {
    /// Creates a suite for a store without any state.
    ///
    /// `pass` moves the store's clock forward by a time in whole microseconds. At first, the clock must show a whole
    /// millisecond. If the clock moves by itself, call [`clock_runs`](Self::clock_runs). In total, the suite moves the clock by
    /// less than 20 years.
    ///
    /// All keys begin with `conformance:`.
    pub fn new(store: impl Store, pass: P) -> Self {
        let supports = Box::new(|_: &Limit| true);
        Self { store: Arc::new(store), pass, supports, clock_runs: false, seed: 1, operations: 200_000 }
    }

    /// Sets which limits the store supports, such as some algorithms, or only limits without a `wait`. Checks that need another
    /// limit are left out, and [`Report::skipped`] lists them. The store must reply to any other limit with an error of the
    /// kind [`Configuration`](crate::ErrorKind::Configuration).
    pub fn supports(self, supports: impl Fn(&Limit) -> bool + 'static) -> Self {
        Self { supports: Box::new(supports), ..self }
    }

    /// Tells the suite that the clock of the store moves by itself, like the clock of a server. The closure must then wait for
    /// the given time.
    ///
    /// The suite then compares times with a tolerance, and takes about five minutes. It leaves out the random operations and
    /// the rules about single milliseconds. [`Report::skipped`] lists them.
    pub fn clock_runs(self) -> Self {
        Self { clock_runs: true, ..self }
    }

    /// Sets the seed of the random operations. The default is 1.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Sets the number of random operations of the whole suite. The default is 200 000.
    pub fn operations(self, operations: usize) -> Self {
        Self { operations, ..self }
    }

    /// Checks all rules. The suite continues after a broken rule, so the report contains all broken rules.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    pub async fn check(self) -> Report {
        let pass = |time: Duration| -> Pin<Box<dyn Future<Output = ()> + '_>> { Box::pin((self.pass)(time)) };
        let setting = Setting {
            store: &self.store,
            pass: &pass,
            supports: &*self.supports,
            clock_runs: self.clock_runs,
            seed: self.seed,
            keys: 0.into(),
            passed: Duration::ZERO.into(),
            began: None.into(),
        };
        let mut report = Report::default();
        for case in CASES {
            for limit in (case.limits)() {
                report.add(case.rule, &limit, check_case(&setting, case, limit).await);
            }
        }
        if let failed @ Err(Stop::Failed(..)) = date::find(&setting).await {
            report.add(date::RULE, &date::MONTH, failed);
        }
        let all: usize = SEQUENCES.iter().map(|limits| limits.len()).sum();
        for limits in SEQUENCES {
            let operations = self.operations * limits.len() / all + 1;
            let (limit, outcome) = sequence::check(&setting, limits, operations, self.seed).await;
            let rule = if limits.len() > 1 { sequence::RULE_OF_STACKS } else { sequence::RULE };
            report.add(rule, &limit, outcome);
        }
        report
    }
}

/// Checks one rule with one limit. If the clock moves by itself, a stalled machine can cause a failure. The check is then
/// repeated, at most twice.
async fn check_case<'s>(setting: &'s Setting<'s>, case: &Case, limit: Limit) -> Result<(), Stop> {
    const ATTEMPTS: u32 = 3;
    for _ in 1..ATTEMPTS {
        let mut run = Run::new(setting);
        let outcome = (case.check)(&mut run, limit).await;
        if !matches!(outcome, Err(Stop::Failed(..))) || !run.has_stalled() {
            return outcome;
        }
    }
    (case.check)(&mut Run::new(setting), limit).await
}

opaque!([P] Suite<P>, |this| clock_runs = this.clock_runs, seed = this.seed, operations = this.operations);

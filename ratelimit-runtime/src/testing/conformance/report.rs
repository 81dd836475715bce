//! `Report` and `Failure`: the result of the suite.

use super::run::Stop;
use crate::limit::Limit;
use std::fmt;

/// The result of a [`Suite`](super::Suite).
///
/// [`Display`](fmt::Display) shows the whole report.
#[derive(Clone, Debug, Default)]
#[must_use = "a report says whether the store has passed"]
pub struct Report {
    passed: usize,
    skipped: Vec<String>,
    failures: Vec<Failure>,
}

impl Report {
    /// Whether the store broke no rule. Rules that were left out do not count as broken: see [`skipped`](Self::skipped).
    pub fn is_passed(&self) -> bool {
        self.failures.is_empty()
    }

    /// The number of rules that the store obeyed. A rule counts once for each limit with which it was checked.
    pub fn passed(&self) -> usize {
        self.passed
    }

    /// The rules that were left out, each with the reason. Empty if the suite checked all rules.
    pub fn skipped(&self) -> &[String] {
        &self.skipped
    }

    /// The rules that the store broke, in the order of the suite.
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// Adds the outcome of one rule with one limit.
    pub(super) fn add(&mut self, rule: &'static str, limit: &Limit, outcome: Result<(), Stop>) {
        match outcome {
            Ok(()) => self.passed += 1,
            Err(Stop::Skipped(reason)) => self.skipped.push(format!("\"{rule}\" with `{limit}`: {reason}")),
            Err(Stop::Failed(sentence, operations)) => {
                self.failures.push(Failure { rule, limit: *limit, sentence, operations });
            }
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passed, skipped, failures } = self;
        writeln!(f, "{passed} rules kept, {} left out, {} broken", skipped.len(), failures.len())?;
        failures.iter().try_for_each(|failure| write!(f, "\n{failure}"))?;
        skipped.iter().try_for_each(|skipped| writeln!(f, "left out: {skipped}"))
    }
}

/// A rule that a store broke.
///
/// [`Display`](fmt::Display) shows the sentence, the rule, and the operations.
#[derive(Clone, Debug)]
pub struct Failure {
    rule: &'static str,
    limit: Limit,
    sentence: String,
    operations: Vec<String>,
}

impl Failure {
    /// A sentence that says what the store did wrong.
    pub fn sentence(&self) -> &str {
        &self.sentence
    }

    /// The rule that was checked, in a few words.
    pub fn rule(&self) -> &str {
        self.rule
    }

    /// The limit with which the rule was checked.
    pub fn limit(&self) -> &Limit {
        &self.limit
    }

    /// The operations that led to the failure, in order, each with the reply of the store.
    pub fn operations(&self) -> &[String] {
        &self.operations
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.sentence)?;
        writeln!(f, "  rule: {}, with `{}`", self.rule, self.limit)?;
        self.operations.iter().try_for_each(|operation| writeln!(f, "  {operation}"))
    }
}

//! Checks `block`: the steps for which a refused caller stays refused, and the limits that can block.

use super::checker::Checker;
use super::literal::{boolean, string};
use crate::model::{Algorithm, Time};
use ratelimit_limit::rules::block::{Block, MAX_STEPS};
use ratelimit_limit::rules::{LimitError, duration};
use std::time::Duration;
use syn::Expr;

impl Checker<'_> {
    pub(super) fn block(&mut self) -> Vec<Time> {
        let Some(value) = self.value("block") else { return Vec::new() };
        if let Some(steps) = string(value).and_then(|text| steps_in(&text.value())) {
            self.error(value, format!("`block` takes several steps in brackets: write `block = [{steps}]`"));
            return Vec::new();
        }
        let values: Vec<&Expr> = match value {
            Expr::Array(steps) => steps.elems.iter().collect(),
            one => vec![one],
        };
        if values.is_empty() {
            self.error(value, "`block` needs at least one step, as in `block = [\"1m\", \"10m\", \"1h\"]`");
        } else if let Some(superfluous) = values.get(MAX_STEPS) {
            self.error(superfluous, LimitError::BLOCK_TOO_MANY_STEPS);
        }
        let steps: Vec<Time> = values.into_iter().filter_map(|value| self.time_of("block", value)).collect();
        for (at, time) in steps.iter().enumerate().take(MAX_STEPS) {
            let (Time::Millis(_, span), Some(this)) = (time, step(time)) else { continue };
            let before = at.checked_sub(1).and_then(|before| step(&steps[before]));
            // A step that is wrong by itself has its own message, so the next step is not compared with it.
            let before = before.filter(|before| Block::of(&[*before]).is_ok());
            let pair = before.into_iter().chain([this]).collect::<Vec<_>>();
            if let Err(violation) = Block::of(&pair) {
                self.error_at(*span, violation);
            }
        }
        steps
    }

    /// Reports a `block` of a limit that cannot block callers.
    pub(super) fn check_takes_block(&mut self, algorithm: Algorithm) {
        let Some(given) = self.given("block") else { return };
        if let Err(violation) = algorithm.check_takes_block() {
            self.error_on_name(given, violation);
        }
        if self.given("lease").is_some() {
            self.error_on_name(given, LimitError::BLOCK_WITH_LEASE);
        }
        if self.value("shadow").and_then(boolean) == Some(true) {
            self.error_on_name(
                given,
                "`block` and `shadow = true` exclude each other: a limit that refuses nobody blocks nobody, so remove one of them",
            );
        }
    }

    /// Reports a block without `by`, because after the first refusal such a block would refuse every caller.
    pub(super) fn check_blocks_callers(&mut self) {
        if let Some(given) = self.given("block")
            && self.given("by").is_none()
        {
            self.error_on_name(
                given,
                "`block` needs `by`, because one refused call would block every caller: write whom to block, as in `by = \"ip\"`, or `by = \"global\"` for all",
            );
        }
    }
}

/// Splits a text such as `1m, 10m` into its steps, and quotes each step for the message. `None` if the text has only one step.
fn steps_in(text: &str) -> Option<String> {
    let steps: Vec<&str> = text.split(',').map(str::trim).collect();
    let are_steps = steps.len() > 1 && steps.iter().all(|step| duration::parse(step).is_ok());
    are_steps.then(|| steps.iter().map(|step| format!("\"{step}\"")).collect::<Vec<_>>().join(", "))
}

/// The duration of a step, if the step is a literal.
pub(super) fn step(time: &Time) -> Option<Duration> {
    time.literal().map(Duration::from_millis)
}

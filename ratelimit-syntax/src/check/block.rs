//! Checks `block`: the steps for which a refused caller stays refused, and whom they block.

use super::checker::Checker;
use super::literal::string;
use crate::model::Value;
use ratelimit_limit::rules::block::{Block, MAX_STEPS};
use ratelimit_limit::rules::{LimitError, duration};
use std::time::Duration;
use syn::Expr;

impl Checker<'_> {
    /// Reads the steps of a block.
    pub(super) fn steps(&mut self, value: &Expr) -> Option<Value> {
        if let Some(steps) = string(value).and_then(|text| steps_in(&text.value())) {
            self.error(value, format!("`block` takes several steps in brackets: write `block = [{steps}]`"));
            return None;
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
        let steps: Vec<Value> = values.into_iter().filter_map(|value| self.time("block", value)).collect();
        for (at, time) in steps.iter().enumerate().take(MAX_STEPS) {
            let Some(this) = step(time) else { continue };
            let before = at.checked_sub(1).and_then(|before| step(&steps[before]));
            // A step that is wrong by itself has its own message, so the next step is not compared with it.
            let before = before.filter(|before| Block::of(&[*before]).is_ok());
            let pair = before.into_iter().chain([this]).collect::<Vec<_>>();
            if let Err(violation) = Block::of(&pair) {
                self.error_at(time.span(), violation);
            }
        }
        (!steps.is_empty()).then_some(Value::Steps(steps))
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
fn step(time: &Value) -> Option<Duration> {
    match time {
        Value::Millis(ms, _) => Some(Duration::from_millis(*ms)),
        _ => None,
    }
}

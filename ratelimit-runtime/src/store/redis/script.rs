//! The script: its text, its arguments, its answer. `lua/decide.lua` documents both.

use crate::decision::Decision;
use crate::limit::{Algorithm, Limit};
use crate::store::{Decisions, Request};
use redis::{Cmd, Value};
use std::sync::Arc;
use std::time::Duration;

/// `head`, the algorithms as functions of `modules`, and the driver, in one text with one digest.
pub(super) const TEXT: &str = concat!(
    include_str!("../../../lua/head.lua"),
    "modules.counter = function(...)\n",
    include_str!("../../../lua/counter.lua"),
    "end\nmodules.token_bucket = function(...)\n",
    include_str!("../../../lua/token_bucket.lua"),
    "end\nmodules.token_bucket_interval = modules.token_bucket\n",
    include_str!("../../../lua/decide.lua"),
);

/// What the script answers instead of a wait (`lua/head.lua`).
const NEVER: i64 = (1 << 53) - 1;
const FOREIGN: i64 = (1 << 53) - 2;

/// The text to run, and its digest, computed once.
pub(super) struct Script {
    text: Arc<str>,
    digest: String,
}

impl Script {
    pub(super) fn new(prelude: &str) -> Self {
        let text = [prelude, TEXT].concat();
        let digest = redis::Script::new(&text).get_hash().to_owned();
        Self { text: text.into(), digest }
    }

    pub(super) fn text(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    pub(super) fn digest(&self) -> &str {
        &self.digest
    }
}

/// Whether a request that passes is charged.
#[derive(Clone, Copy)]
pub(super) enum Mode {
    Charge,
    Peek,
}

/// Adds the number of keys, the keys and the arguments.
pub(super) fn encode(command: &mut Cmd, requests: &[Request<'_>], mode: Mode) {
    command.arg(requests.len());
    for request in requests {
        command.arg(request.key().as_bytes());
    }
    command.arg(match mode {
        Mode::Charge => "charge",
        Mode::Peek => "peek",
    });
    runs(requests).for_each(|run| encode_run(command, run));
}

/// Neighbours with the same limit make one run; a member of a stack is a run of its own.
fn runs<'s, 'a>(requests: &'s [Request<'a>]) -> impl Iterator<Item = &'s [Request<'a>]> {
    let mut stacked = false;
    requests.chunk_by(move |a, b| {
        let joined = a.passes_with_next() || b.passes_with_next() || stacked;
        stacked = a.passes_with_next();
        !joined && a.limit() == b.limit()
    })
}

fn encode_run(command: &mut Cmd, run: &[Request<'_>]) {
    let limit = run[0].limit();
    let rate = limit.rate();
    command.arg(name(limit)).arg(rate.tokens).arg(rate.period_ms).arg(limit.capacity());
    command.arg(if run[0].passes_with_next() { 0 } else { run.len() });
    for request in run {
        command.arg(request.cost());
    }
}

const fn name(limit: &Limit) -> &'static str {
    match limit.algorithm() {
        Algorithm::TokenBucket if limit.refills_by_interval() => "token_bucket_interval",
        algorithm => algorithm.as_str(),
    }
}

/// Reads three integers per request.
pub(super) fn decisions(answer: &Value, limits: &[Limit]) -> Result<Decisions, &'static str> {
    let Value::Array(fields) = answer else {
        return Err("it is not a list");
    };
    if fields.len() != 3 * limits.len() {
        return Err("it has not three integers per request");
    }
    fields
        .chunks_exact(3)
        .zip(limits)
        .map(|(fields, limit)| match fields {
            [Value::Int(delay), Value::Int(remaining), Value::Int(reset)] => {
                decision(*delay, *remaining, *reset, limit)
            }
            _ => Err("it has something else than integers"),
        })
        .collect()
}

fn decision(delay: i64, remaining: i64, reset: i64, limit: &Limit) -> Result<Decision, &'static str> {
    let remaining = u32::try_from(remaining).map_err(|_| "a number is out of range")?;
    let reset_after = Duration::from_millis(reset.try_into().map_err(|_| "a number is out of range")?);
    match -delay {
        0 => Ok(Decision::allow(limit, remaining, reset_after)),
        FOREIGN => Err("a key holds something that is not a rate limit"),
        NEVER => Ok(Decision::refuse(limit, remaining, None, reset_after)),
        1.. => {
            let retry_after = Duration::from_millis(delay.unsigned_abs());
            Ok(Decision::refuse(limit, remaining, Some(retry_after), reset_after))
        }
        _ => Err("a number is out of range"),
    }
}

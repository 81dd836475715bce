//! The scripts: their texts, their arguments, their answers. `lua/decide.lua` and `lua/adjust.lua` document them.

use crate::decision::Decision;
use crate::limit::{Algorithm, Limit};
use crate::store::redis::script::range;
use crate::store::redis::script::range::{FOREIGN, NEVER, WRONG};
use crate::store::{Adjusted, Adjustment, Change, Decisions, Mode, Request};
use redis::{Cmd, Value};
use std::sync::Arc;
use std::time::Duration;

/// `head`, the algorithms as functions of `modules`, and a driver, in one text with one digest.
macro_rules! script {
    ($driver:literal) => {
        concat!(
            include_str!("../../../../lua/head.lua"),
            "modules.bucket = function(...)\n",
            include_str!("../../../../lua/bucket.lua"),
            "end\nmodules.counter = function(...)\n",
            include_str!("../../../../lua/counter.lua"),
            "end\nmodules.token_bucket = function(...)\n",
            include_str!("../../../../lua/token_bucket.lua"),
            "end\nmodules.leaky_bucket = function(...)\n",
            include_str!("../../../../lua/leaky_bucket.lua"),
            "end\nmodules.sliding_window = function(...)\n",
            include_str!("../../../../lua/sliding_window.lua"),
            "end\nmodules.sliding_log = function(...)\n",
            include_str!("../../../../lua/sliding_log.lua"),
            "end\nmodules.concurrency = function(...)\n",
            include_str!("../../../../lua/concurrency.lua"),
            "end\nmodules.token_bucket_interval = modules.token_bucket\n",
            "modules.leaky_bucket_queue = modules.leaky_bucket\n",
            include_str!($driver),
        )
    };
}

pub(crate) const DECIDE: &str = script!("../../../../lua/decide.lua");
pub(crate) const ADJUST: &str = script!("../../../../lua/adjust.lua");

/// The text to run, and its digest, computed once.
pub(crate) struct Script {
    text: Arc<str>,
    digest: String,
}

impl Script {
    pub(crate) fn new(prelude: &str, text: &str) -> Self {
        let text = [prelude, text].concat();
        let digest = redis::Script::new(&text).get_hash().to_owned();
        Self { text: text.into(), digest }
    }

    pub(crate) fn text(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }
}

/// Adds the number of keys, the keys and the arguments of `decide`.
pub(crate) fn encode(command: &mut Cmd, mode: Mode, requests: &[Request<'_>]) {
    command.arg(requests.len());
    for request in requests {
        command.arg(request.key().as_bytes());
    }
    command.arg(self::mode(mode));
    runs(requests).for_each(|run| encode_run(command, run));
}

/// The script's word for a mode.
pub(crate) const fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Check => "check",
        Mode::Charge => "charge",
        Mode::Peek => "peek",
    }
}

/// Neighbours with the same limit and cost make one run; a member of a stack, and a permit, is a run of its own.
fn runs<'s, 'a>(requests: &'s [Request<'a>]) -> impl Iterator<Item = &'s [Request<'a>]> {
    let mut stacked = false;
    requests.chunk_by(move |a, b| {
        let joined = a.passes_with_next() || b.passes_with_next() || stacked;
        stacked = a.passes_with_next();
        !joined && !a.limit().is_concurrency() && a.cost() == b.cost() && a.limit() == b.limit()
    })
}

fn encode_run(command: &mut Cmd, run: &[Request<'_>]) {
    encode_limit(command, run[0].limit(), run[0].permit());
    command.arg(if run[0].passes_with_next() { 0 } else { run.len() }).arg(run[0].cost());
}

/// The algorithm and its numbers; the id of a permit stands in the place of the burst.
pub(crate) fn encode_limit(command: &mut Cmd, limit: &Limit, permit: u64) {
    let rate = limit.rate();
    let burst = match limit.algorithm() {
        Algorithm::Concurrency if limit.capacity() > 0 => permit,
        _ => limit.capacity().into(),
    };
    command.arg(name(limit)).arg(rate.tokens).arg(rate.period_ms).arg(burst).arg(limit.wait_ms());
}

const fn name(limit: &Limit) -> &'static str {
    match limit.algorithm() {
        Algorithm::TokenBucket if limit.refills_by_interval() => "token_bucket_interval",
        Algorithm::LeakyBucket if limit.is_queue() => "leaky_bucket_queue",
        algorithm => algorithm.as_str(),
    }
}

/// Adds the number of keys, the keys and the arguments of `adjust`.
pub(crate) fn encode_adjustments(command: &mut Cmd, adjustments: &[Adjustment<'_>]) {
    command.arg(adjustments.len());
    for adjustment in adjustments {
        command.arg(adjustment.key().as_bytes());
    }
    for adjustment in adjustments {
        let (what, stamp) = match adjustment.change() {
            Change::Give(stamp) => ("give", stamp),
            Change::Take => ("take", 0),
            Change::Renew(id) => ("renew", id),
        };
        command.arg(what);
        encode_limit(command, adjustment.limit(), stamp);
        command.arg(adjustment.units()).arg(stamp);
    }
}

/// Why an answer cannot be used.
pub(crate) enum Wrong {
    Answer(&'static str),
    /// The key of the request at this position holds something foreign.
    Foreign(usize),
}

impl From<&'static str> for Wrong {
    fn from(what: &'static str) -> Self {
        Self::Answer(what)
    }
}

/// What the script says of each request, or of merged ones: four integers (`lua/decide.lua`).
pub(crate) fn fields(answer: &Value, requests: usize) -> Result<impl Iterator<Item = [i64; 4]>, Wrong> {
    let Value::BulkString(bytes) = answer else {
        return Err("it is not a string".into());
    };
    let (records, []) = bytes.as_chunks::<32>() else {
        return Err("it ends within a decision".into());
    };
    if records.len() != requests {
        return Err("it has another number of decisions than asked for".into());
    }
    let integers = |record: &[u8; 32]| {
        let (integers, _) = record.as_chunks::<8>();
        std::array::from_fn(|at| i64::from_le_bytes(integers[at]))
    };
    Ok(records.iter().map(integers))
}

/// Reads the answers to requests that were not merged.
pub(crate) fn decisions(answer: &Value, mode: Mode, limits: &[Limit]) -> Result<Decisions, Wrong> {
    let decide = |(at, (fields, limit)): (usize, ([i64; 4], &Limit))| match fields {
        [delay, ..] if delay == -FOREIGN => Err(Wrong::Foreign(at)),
        fields => Ok(decision(fields, mode, limit)?),
    };
    fields(answer, limits.len())?.zip(limits).enumerate().map(decide).collect()
}

/// Reads the four integers of a request that holds no foreign key.
pub(crate) fn decision(
    [delay, remaining, reset, stamp]: [i64; 4],
    mode: Mode,
    limit: &Limit,
) -> Result<Decision, &'static str> {
    if delay == -NEVER {
        return range::refuse_forever(limit, remaining, reset);
    }
    if delay < 0 {
        return range::refuse(limit, remaining, delay.checked_neg().ok_or(WRONG)?, reset);
    }
    let patience = if mode == Mode::Charge { limit.longest_wait() } else { Duration::ZERO };
    let delay = range::ms(delay)?;
    if delay > patience {
        return Err(WRONG);
    }
    let stamp = if mode == Mode::Charge { u64::try_from(stamp).map_err(|_| WRONG)? } else { 0 };
    Ok(range::allow(limit, remaining, reset)?.in_turn(delay, stamp))
}

/// Reads one integer per adjustment: the units that were changed, at most those that were to be.
pub(crate) fn adjusted(answer: &Value, adjustments: &[Adjustment<'_>]) -> Result<Adjusted, Wrong> {
    let Value::Array(fields) = answer else {
        return Err("it is not a list".into());
    };
    if fields.len() != adjustments.len() {
        return Err("it has another number of integers than asked for".into());
    }
    let units = |(field, adjustment): (&Value, &Adjustment<'_>)| match field {
        Value::Int(units) => {
            let units = u32::try_from(*units).ok().filter(|units| *units <= adjustment.units());
            units.ok_or_else(|| WRONG.into())
        }
        _ => Err("it has something else than integers".into()),
    };
    fields.iter().zip(adjustments).map(units).collect()
}

//! Scripts for one request that stands for itself, the usual case: smaller than `decide`, on the same state.

use super::script::Script;
use crate::decision::Decision;
use crate::limit::{Algorithm, Limit};
use crate::store::{Decisions, Mode, Request};
use redis::{Cmd, Value};
use std::time::Duration;

/// The texts in `lua/one`, by the algorithms that they decide.
pub(crate) const TEXTS: [(&str, &str); 5] = [
    ("counter", include_str!("../../../lua/one/counter.lua")),
    ("token_bucket", include_str!("../../../lua/one/token_bucket.lua")),
    ("sliding_window", include_str!("../../../lua/one/sliding_window.lua")),
    ("sliding_log", include_str!("../../../lua/one/sliding_log.lua")),
    ("concurrency", include_str!("../../../lua/one/concurrency.lua")),
];

/// The scripts with their digests.
pub(super) struct Lone([Script; 5]);

impl Lone {
    pub(super) fn new(prelude: &str, texts: [(&str, &str); 5]) -> Self {
        Self(texts.map(|(_, text)| Script::new(prelude, text)))
    }

    /// The script for these requests, if it is one that needs no more.
    pub(super) fn script(&self, mode: Mode, requests: &[Request<'_>]) -> Option<&Script> {
        let [request] = requests else { return None };
        let (limit, cost) = (request.limit(), request.cost());
        let plain = !request.passes_with_next()
            && !limit.refuses_all()
            && limit.wait_ms() == 0
            && (1..=limit.capacity()).contains(&cost)
            && (mode == Mode::Check || (mode == Mode::Charge && limit.is_concurrency()));
        let place = match limit.algorithm() {
            // Its answer has to be below 2^53.
            Algorithm::Counter if u64::from(limit.count()) * (limit.time_ms() + 1) >= 1 << 53 => return None,
            Algorithm::Counter => 0,
            Algorithm::TokenBucket if limit.refills_by_interval() => return None,
            Algorithm::TokenBucket | Algorithm::LeakyBucket => 1,
            Algorithm::SlidingWindow => 2,
            Algorithm::SlidingLog | Algorithm::Concurrency if cost > 1 => return None,
            Algorithm::SlidingLog => 3,
            Algorithm::Concurrency => 4,
        };
        plain.then(|| &self.0[place])
    }
}

/// Adds the key and the arguments.
pub(super) fn encode(command: &mut Cmd, request: &Request<'_>) {
    let limit = request.limit();
    let rate = limit.rate();
    command.arg(1).arg(request.key().as_bytes()).arg(rate.tokens).arg(rate.period_ms);
    match limit.algorithm() {
        Algorithm::Counter | Algorithm::SlidingWindow => command.arg(request.cost()),
        Algorithm::TokenBucket | Algorithm::LeakyBucket => command.arg(limit.capacity()).arg(request.cost()),
        Algorithm::SlidingLog => command,
        Algorithm::Concurrency => command.arg(request.permit()),
    };
}

/// Reads what the scripts answer: one integer where it can be, since that is cheaper to make.
pub(super) fn decision(
    answer: &Value,
    mode: Mode,
    limit: &Limit,
    cost: u32,
    permit: u64,
) -> Option<Decisions> {
    let decision = match answer {
        Value::Int(packed) => unpacked(*packed, cost, limit)?,
        Value::Array(fields) => match fields.as_slice() {
            [Value::Int(remaining), Value::Int(reset)] => allow(limit, *remaining, *reset)?,
            [Value::Int(retry), Value::Int(reset), Value::Int(remaining)] => {
                refuse(limit, *remaining, retry.checked_neg()?, *reset)?
            }
            _ => return None,
        },
        _ => return None,
    };
    // A permit's stamp is its id.
    let permitted = mode == Mode::Charge && decision.allowed();
    Some(Decisions::one(if permitted { decision.in_turn(Duration::ZERO, permit) } else { decision }))
}

fn unpacked(packed: i64, cost: u32, limit: &Limit) -> Option<Decision> {
    let time = i64::try_from(limit.time_ms()).ok()?;
    match limit.algorithm() {
        Algorithm::Counter if packed < 0 => refuse(limit, 0, -packed, -packed),
        Algorithm::Counter => allow(limit, packed / (time + 1), packed % (time + 1)),
        Algorithm::SlidingWindow => allow(limit, packed / (2 * time + 1), packed % (2 * time + 1)),
        Algorithm::SlidingLog | Algorithm::Concurrency => allow(limit, packed, time),
        Algorithm::TokenBucket | Algorithm::LeakyBucket => bucket(packed, cost, limit),
    }
}

/// From the room that is left, or what is wanting, in grains.
fn bucket(room: i64, cost: u32, limit: &Limit) -> Option<Decision> {
    let rate = limit.rate();
    let (period, tokens) = (i64::try_from(rate.period_ms).ok()?, i64::from(rate.tokens));
    let full = i64::from(limit.capacity()) * period;
    let ms = |grains: i64| grains.unsigned_abs().div_ceil(tokens.unsigned_abs()).try_into().ok();
    if room >= 0 {
        return allow(limit, room / period, ms(full - room)?);
    }
    let before = room + i64::from(cost) * period;
    refuse(limit, (before / period).max(0), ms(room)?, ms(full - before)?)
}

fn allow(limit: &Limit, remaining: i64, reset: i64) -> Option<Decision> {
    Some(Decision::allow(limit, remaining.try_into().ok()?, ms(reset)?))
}

fn refuse(limit: &Limit, remaining: i64, retry: i64, reset: i64) -> Option<Decision> {
    Some(Decision::refuse(limit, remaining.try_into().ok()?, Some(ms(retry)?), ms(reset)?))
}

fn ms(ms: i64) -> Option<Duration> {
    u64::try_from(ms).ok().map(Duration::from_millis)
}

//! Scripts for one request that stands for itself, the usual case: smaller than `decide`, on the same state.

use crate::decision::Decision;
use crate::limit::{Algorithm, Limit};
use crate::store::redis::script::range;
use crate::store::redis::script::range::{LONGEST_MS, WRONG};
use crate::store::redis::script::scripts::{Script, Wrong};
use crate::store::{Mode, Request};
use redis::{Cmd, Value};
use std::time::Duration;

/// The texts in `lua/one`, by the algorithms that they decide.
pub(crate) const TEXTS: [(&str, &str); 5] = [
    ("counter", include_str!("../../../../lua/one/counter.lua")),
    ("token_bucket", include_str!("../../../../lua/one/token_bucket.lua")),
    ("sliding_window", include_str!("../../../../lua/one/sliding_window.lua")),
    ("sliding_log", include_str!("../../../../lua/one/sliding_log.lua")),
    ("concurrency", include_str!("../../../../lua/one/concurrency.lua")),
];

/// The scripts with their digests.
pub(crate) struct Lone([Script; 5]);

impl Lone {
    pub(crate) fn new(prelude: &str, texts: [(&str, &str); 5]) -> Self {
        Self(texts.map(|(_, text)| Script::new(prelude, text)))
    }

    /// The script for these requests, if it is one that needs no more.
    pub(crate) fn script(&self, mode: Mode, requests: &[Request<'_>]) -> Option<&Script> {
        let [request] = requests else { return None };
        let (limit, cost) = (request.limit(), request.cost());
        let plain = !request.passes_with_next()
            && !limit.refuses_all()
            && limit.wait_ms() == 0
            && (1..=limit.capacity()).contains(&cost)
            && (mode == Mode::Check || (mode == Mode::Charge && limit.is_concurrency()));
        let place = match limit.algorithm() {
            // The packed reply has to be below 2^53. For the largest limits the product itself is above 2^64.
            Algorithm::Counter if u128::from(limit.count()) * u128::from(limit.time_ms() + 1) >= 1 << 53 => {
                return None;
            }
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
pub(crate) fn encode(command: &mut Cmd, request: &Request<'_>) {
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

/// Reads a reply: one integer where possible, because that is cheaper to make.
///
/// The call was decided before it was answered. A reply that cannot be read is an error, because asking again could charge
/// it twice.
pub(crate) fn decision(
    answer: &Value,
    mode: Mode,
    limit: &Limit,
    cost: u32,
    permit: u64,
) -> Result<Decision, Wrong> {
    let lists = matches!(limit.algorithm(), Algorithm::SlidingLog | Algorithm::Concurrency);
    let one_number = matches!(limit.algorithm(), Algorithm::TokenBucket | Algorithm::LeakyBucket);
    let decision = match answer {
        Value::Int(packed) => unpacked(*packed, cost, limit)?,
        Value::Array(fields) => match fields.as_slice() {
            [Value::Int(remaining), Value::Int(reset)] if lists => range::allow(limit, *remaining, *reset)?,
            [Value::Int(retry), Value::Int(reset), Value::Int(remaining)] if !one_number => {
                range::refuse(limit, *remaining, retry.checked_neg().ok_or(WRONG)?, *reset)?
            }
            _ => return Err(SHAPE.into()),
        },
        _ => return Err(SHAPE.into()),
    };
    // A permit's stamp is its id.
    let permitted = mode == Mode::Charge && decision.allowed();
    Ok(if permitted { decision.in_turn(Duration::ZERO, permit) } else { decision })
}

const SHAPE: &str = "it is neither an integer nor a list of them";

fn unpacked(packed: i64, cost: u32, limit: &Limit) -> Result<Decision, &'static str> {
    let time = i64::try_from(limit.time_ms()).map_err(|_| WRONG)?;
    match limit.algorithm() {
        Algorithm::Counter if packed < 0 => {
            let ttl = packed.checked_neg().ok_or(WRONG)?;
            range::refuse(limit, 0, ttl, ttl)
        }
        Algorithm::Counter => range::allow(limit, packed / (time + 1), packed % (time + 1)),
        Algorithm::SlidingWindow => range::allow(limit, packed / (2 * time + 1), packed % (2 * time + 1)),
        Algorithm::SlidingLog | Algorithm::Concurrency => range::allow(limit, packed, time),
        Algorithm::TokenBucket | Algorithm::LeakyBucket => bucket(packed.into(), cost, limit),
    }
}

/// Units that a bucket's state can hold, and the ms that its key can live (`lua/bucket.lua`).
const UNITS: i128 = 1 << 27;
const LIFE_MS: i128 = 1 << 53;

/// From the room that is left, or what is missing, in grains. After a change of the limit more can be missing than a time
/// in ms can say: then it is the longest time.
fn bucket(room: i128, cost: u32, limit: &Limit) -> Result<Decision, &'static str> {
    let rate = limit.rate();
    let (period, tokens) = (i128::from(rate.period_ms), i128::from(rate.tokens));
    if tokens == 0 || room < -(UNITS * period + LIFE_MS * tokens) {
        return Err(WRONG);
    }
    let full = i128::from(limit.capacity()) * period;
    let ms = |grains: i128| {
        let ms = (grains + tokens - 1) / tokens;
        i64::try_from(ms).unwrap_or(LONGEST_MS).min(LONGEST_MS)
    };
    let units = |grains: i128| i64::try_from(grains / period).map_err(|_| WRONG);
    if room >= 0 {
        return range::allow(limit, units(room)?, ms(full - room));
    }
    let before = room + i128::from(cost) * period;
    range::refuse(limit, units(before)?.max(0), ms(-room), ms(full - before))
}

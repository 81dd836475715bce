//! The small scripts for a single plain request, the most frequent case. They use the same state as `decide`.

use super::arguments::add_share_keys;
use super::call::Script;
use super::reply::{self, InvalidReply, LONGEST_MS, OUT_OF_RANGE, longest_reset};
use crate::decision::Decision;
use crate::limit::{Limit, State};
use crate::store::{Mode, Request};
use redis::{Cmd, Value};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The names and texts of the small scripts, in the order of [`ratelimit_lua::SINGLE`].
pub(crate) type Texts<'t> = [(&'t str, &'t str); 5];

/// The scripts of single requests, in the order of [`Texts`].
pub(crate) struct SingleScripts {
    scripts: [Script; 5],
    /// The number of requests for shared buckets that go to `decide` at once, because units are probably scarce.
    scarce: AtomicU32,
}

/// While units of shared buckets are scarce, one of this many requests tries the small script, which costs a round trip more.
const SCARCE: u32 = 100;

impl SingleScripts {
    pub(crate) fn new(prelude: &str, texts: Texts<'_>) -> Self {
        Self { scripts: texts.map(|(_, text)| Script::new(prelude, text)), scarce: AtomicU32::new(0) }
    }

    /// Notes that the small script could not decide about a request.
    pub(crate) fn note_undecided(&self, request: &Request) {
        if request.caller().is_some() {
            self.scarce.store(SCARCE, Ordering::Relaxed);
        }
    }

    /// Returns whether units are probably scarce. Counts the request that asks.
    fn is_scarce(&self) -> bool {
        let less = |scarce: u32| scarce.checked_sub(1);
        self.scarce.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    /// Returns the small script for a plain request, if there is one. A plain request is not part of a stack, has a cost from 1
    /// to the capacity, and leaves no units to others. Its limit has no wait, no block and no calendar window. Small scripts
    /// exist for mode `check`, and for permits also for mode `charge`. If callers share a bucket, its small script decides while
    /// units are not scarce.
    pub(crate) fn script(&self, mode: Mode, request: &Request) -> Option<&Script> {
        let (limit, cost) = (request.limit(), request.cost());
        let plain = !request.passes_with_next()
            && !limit.refuses_all()
            && limit.wait_ms() == 0
            && request.keep() == 0
            && limit.window().is_none()
            && limit.block_steps().is_none()
            && (1..=limit.capacity()).contains(&cost)
            && (mode == Mode::Check || (mode == Mode::Charge && limit.is_concurrency()));
        // The packed reply must be below 2^53. For the largest limits, `count * time` does not fit into 64 bits, so it is
        // computed with 128 bits.
        let reply_fits = u128::from(limit.count()) * u128::from(limit.time_ms() + 1) < 1 << 53;
        let is_near = limit.time_ms() <= NEAR_MS;
        let [counter, token_bucket, sliding_window, sliding_log, concurrency] = &self.scripts;
        // The script, and whether it can decide about the limit. The small scripts only know the short form of a state
        // (`lua/head.lua`), so nearly all states of the limit must have this form.
        let (script, serves) = match limit.state() {
            State::Counter => (counter, reply_fits && is_near && limit.count() < 92_000_000),
            State::SlidingWindow => (sliding_window, is_near && limit.count() < 1000),
            State::Bucket => {
                // With these bounds, the tag of a bucket is at most 33, the highest tag of the short form.
                let is_short = limit.capacity() <= 2_700_000 && longest_reset(limit) < 4_000_000_000;
                (token_bucket, is_short && !limit.refills_by_interval())
            }
            State::Log => (sliding_log, cost == 1),
            State::Permits => (concurrency, cost == 1),
        };
        // Asked last, because the answer counts the request.
        let is_undecided = || request.caller().is_some() && self.is_scarce();
        (plain && serves && !is_undecided()).then_some(script)
    }
}

/// The longest `time`, in milliseconds, with which nearly all states of a counter or a window have the short form: 57 days.
const NEAR_MS: u64 = 5_000_000_000;

/// Adds the number of keys, the keys and the arguments of a small script.
pub(crate) fn encode(command: &mut Cmd, request: &Request) {
    let limit = request.limit();
    let rate = limit.rate();
    let is_shared = request.caller().is_some();
    command.arg(if is_shared { 3 } else { 1 }).arg(request.key().as_bytes());
    if is_shared {
        add_share_keys(command, request.key());
    }
    command.arg(rate.tokens).arg(rate.period_ms);
    match limit.state() {
        State::Counter | State::SlidingWindow => command.arg(request.cost()),
        State::Bucket if is_shared => {
            command.arg(limit.capacity()).arg(request.cost()).arg(limit.largest_reserve())
        }
        State::Bucket => command.arg(limit.capacity()).arg(request.cost()),
        State::Log => command,
        State::Permits => command.arg(request.permit()),
    };
}

/// Reads the reply of a small script: one integer in most cases, because an integer is cheaper than a list.
///
/// The server has already decided about the request. An invalid reply is therefore an error: repeating the call could
/// charge it twice.
pub(crate) fn decision(reply: &Value, mode: Mode, request: &Request) -> Result<Decision, InvalidReply> {
    let (limit, cost, permit) = (request.limit(), request.cost(), request.permit());
    let lists = limit.is_list();
    let one_number = limit.algorithm().is_bucket();
    let decision = match reply {
        Value::Int(packed) => unpacked(*packed, cost, limit)?,
        Value::Array(fields) => match fields.as_slice() {
            [Value::Int(remaining), Value::Int(reset)] if lists => reply::allow(limit, *remaining, *reset)?,
            [Value::Int(retry), Value::Int(reset), Value::Int(remaining)] if !one_number => {
                reply::refuse(limit, *remaining, Some(retry.checked_neg().ok_or(OUT_OF_RANGE)?), *reset)?
            }
            _ => return Err(WRONG_TYPE),
        },
        _ => return Err(WRONG_TYPE),
    };
    // The stamp of a permit is its id.
    let permitted = mode == Mode::Charge && decision.is_allowed();
    Ok(if permitted { decision.in_turn(Duration::ZERO, permit) } else { decision })
}

const WRONG_TYPE: InvalidReply = InvalidReply::Malformed("expected an integer or a list of integers");

/// Reads a reply of one integer.
fn unpacked(packed: i64, cost: u32, limit: &Limit) -> Result<Decision, InvalidReply> {
    let time = i64::try_from(limit.time_ms()).map_err(|_| OUT_OF_RANGE)?;
    match limit.state() {
        State::Counter if packed < 0 => {
            let ttl = packed.checked_neg().ok_or(OUT_OF_RANGE)?;
            reply::refuse(limit, 0, Some(ttl), ttl)
        }
        State::Counter | State::SlidingWindow => {
            let base = longest_reset(limit) + 1;
            reply::allow(limit, packed / base, packed % base)
        }
        State::Bucket => bucket(packed.into(), cost, limit),
        State::Log | State::Permits => reply::allow(limit, packed, time),
    }
}

/// Bounds of a bucket's state: its units, and the lifetime of its key in milliseconds (`lua/token_bucket.lua`).
const UNITS: i128 = 1 << 27;
const LIFE_MS: i128 = 1 << 53;

/// Reads a bucket's reply: the free room in grains, or the missing grains as a negative number. One unit is `period` grains,
/// and `tokens` grains return per millisecond. After a change of the limit, the time until nothing is in use may exceed
/// [`LONGEST_MS`]. In this case, the decision contains [`LONGEST_MS`].
fn bucket(room: i128, cost: u32, limit: &Limit) -> Result<Decision, InvalidReply> {
    let rate = limit.rate();
    let (period, tokens) = (i128::from(rate.period_ms), i128::from(rate.tokens));
    if tokens == 0 || room < -(UNITS * period + LIFE_MS * tokens) {
        return Err(OUT_OF_RANGE);
    }
    let capacity = i128::from(limit.capacity()) * period;
    let ms = |grains: i128| {
        let ms = (grains + tokens - 1) / tokens;
        i64::try_from(ms).unwrap_or(LONGEST_MS).min(LONGEST_MS)
    };
    let units = |grains: i128| i64::try_from(grains / period).map_err(|_| OUT_OF_RANGE);
    if room >= 0 {
        return reply::allow(limit, units(room)?, ms(capacity - room));
    }
    let before = room + i128::from(cost) * period;
    reply::refuse(limit, units(before)?.max(0), Some(ms(-room)), ms(capacity - before))
}

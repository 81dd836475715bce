//! The keys and arguments of `decide` and `adjust`, as `lua/decide.lua` and `lua/adjust.lua` document them.

use crate::key::StoreKey;
use crate::limit::{Calendar, Limit};
use crate::store::{Adjustment, Change, Mode, Request};
use redis::{Cmd, ToRedisArgs};
use smallvec::SmallVec;
use std::collections::HashSet;
use std::fmt::Write;
use std::iter;

/// Adds the number of keys, the keys and the arguments of `decide`.
pub(crate) fn encode_decide(command: &mut Cmd, mode: Mode, requests: &[&Request]) {
    let callers = || requests.iter().filter(|request| request.caller().is_some());
    command.arg(requests.len() + 2 * callers().count());
    for request in requests {
        command.arg(request.key().as_bytes());
    }
    callers().for_each(|request| add_share_keys(command, request.key()));
    // Each key is read separately, because a common read (`MGET`) returns the same for a key of another type and for a missing
    // key.
    command.arg(mode_name(mode)).arg(0);
    for run in runs(requests) {
        let number = if run[0].passes_with_next() { 0 } else { run.len() };
        encode_run(command, run[0], number, run[0].caller());
    }
}

/// Adds the keys of the hashes that contain the shares of the callers of a bucket.
pub(crate) fn add_share_keys(command: &mut Cmd, key: &StoreKey) {
    for suffix in [":fair-a", ":fair-b"] {
        command.arg([key.as_bytes(), suffix.as_bytes()].concat());
    }
}

/// Returns the number of keys in front of the first key that has occurred before.
pub(crate) fn differing<'k>(keys: impl Iterator<Item = &'k StoreKey>) -> usize {
    let mut known = HashSet::new();
    keys.take_while(|key| known.insert(*key)).count()
}

pub(crate) const fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Check => "check",
        Mode::Charge => "charge",
        Mode::Peek => "peek",
    }
}

/// Splits requests into runs. Neighbours with the same limit and units form one run. A member of a stack and a request for
/// a permit each form a separate run.
fn runs<'s, 'r>(requests: &'s [&'r Request]) -> impl Iterator<Item = &'s [&'r Request]> {
    let mut stacked = false;
    requests.chunk_by(move |a, b| {
        let joined = a.passes_with_next() || b.passes_with_next() || stacked;
        stacked = a.passes_with_next();
        let is_alone = a.limit().is_concurrency() || a.caller().is_some();
        !joined && !is_alone && a.is_decided_as(b)
    })
}

/// Adds the arguments of a run. All its requests have the limit and the units of `first`. `number` is the script's `n`: the
/// number of requests, or 0 for a request that passes only together with the next run. For merged requests, `number` is minus
/// their number. `callers` are the callers of the requests, if they share a bucket.
pub(crate) fn encode_run(
    command: &mut Cmd,
    first: &Request,
    number: impl ToRedisArgs,
    callers: impl IntoIterator<Item = u64>,
) {
    encode_limit(command, first.limit(), first.permit());
    command.arg(number).arg(first.cost());
    let block = first.limit().block_steps();
    let mut callers = callers.into_iter().peekable();
    if callers.peek().is_some() {
        let (most, time_ms) = (first.limit().largest_reserve(), first.limit().time_ms());
        let mut extra = format!("{}/{most}/{time_ms}/", first.keep());
        for caller in callers {
            let _ = write!(extra, "{caller:016x}");
        }
        command.arg(extra);
    } else if block.is_none() {
        command.arg(first.keep());
    } else {
        let numbers = iter::once(first.keep().into()).chain(block.steps_ms());
        let numbers: SmallVec<[String; 5]> = numbers.map(|number: u64| number.to_string()).collect();
        command.arg(numbers.join(":"));
    }
}

/// Adds the algorithm and its numbers. A concurrency limit sends the id of the permit in place of the burst.
fn encode_limit(command: &mut Cmd, limit: &Limit, permit: u64) {
    let rate = limit.rate();
    let has_id = limit.is_concurrency() && limit.capacity() > 0;
    let burst = if has_id { permit } else { limit.capacity().into() };
    command.arg(module(limit)).arg(rate.tokens).arg(period_ms(limit)).arg(burst).arg(limit.wait_ms());
}

const fn module(limit: &Limit) -> &'static str {
    if limit.refills_by_interval() {
        "token_bucket_interval"
    } else if limit.is_queue() {
        "leaky_bucket_queue"
    } else {
        match limit.calendar_window() {
            Some(Calendar::Hour) => "counter_hour",
            Some(Calendar::Day) => "counter_day",
            Some(Calendar::Week) => "counter_week",
            Some(Calendar::Month) => "counter_month",
            _ => limit.algorithm().as_str(),
        }
    }
}

/// Returns the script's `time_ms`. For a calendar window, `time_ms` is the offset of the zone plus one day. From this number,
/// the server computes the end of the window.
fn period_ms(limit: &Limit) -> u64 {
    const DAY_MS: i64 = 86_400_000;
    match limit.window() {
        Some(window) => (window.zone.ms() + DAY_MS).unsigned_abs(),
        None => limit.rate().period_ms,
    }
}

/// Adds the number of keys, the keys and the arguments of `adjust`.
pub(crate) fn encode_adjust(command: &mut Cmd, adjustments: &[Adjustment]) {
    command.arg(adjustments.len());
    for adjustment in adjustments {
        command.arg(adjustment.key().as_bytes());
    }
    for adjustment in adjustments {
        let (change, stamp) = match adjustment.change() {
            Change::Give(stamp) => ("give", stamp),
            Change::Take => ("take", 0),
            Change::Used => ("used", 0),
            Change::Renew(id) => ("renew", id),
            Change::Block(ms) => ("block", ms),
            Change::Open => ("open", 0),
            Change::Pause(ms) => ("pause", ms),
            Change::Closed => ("closed", 0),
        };
        command.arg(change);
        encode_limit(command, adjustment.limit(), stamp);
        command.arg(adjustment.units()).arg(stamp);
    }
}

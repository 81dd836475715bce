//! `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`: fields without a standard, which describe one limit.

use super::super::names::Named;
use super::{AddField, Shown, effective_window};
use crate::writer::{Bytes, push_number};
use std::cmp::Reverse;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const LIMIT: &str = "x-ratelimit-limit";
const REMAINING: &str = "x-ratelimit-remaining";
const RESET: &str = "x-ratelimit-reset";

/// Writes the fields of one of the shown limits. `X-RateLimit-Reset` is a number of seconds, or the point in time after them if
/// `now` is given. It is left out where there is no such time.
pub(super) fn write(limits: &Shown<'_>, now: Option<SystemTime>, add: &mut AddField<'_>) {
    let Some(limit) = limits.states().min_by_key(|limit| urgency(limit)) else { return };
    let recorded = limit.recorded;
    let mut add_number = |name, number: u64| {
        let mut digits = Bytes::new();
        push_number(&mut digits, number);
        add(name, &digits);
    };
    add_number(LIMIT, recorded.limit().capacity().into());
    add_number(REMAINING, recorded.decision().remaining().into());
    if let Some(seconds) = effective_window(recorded) {
        add_number(RESET, now.map_or(seconds, |now| unix_seconds(now, seconds)));
    }
}

/// The order in which limits concern a client: refusals, those with the longest wait first, and then the fewest units that are
/// left.
fn urgency(limit: &Named<'_>) -> (bool, u32, Reverse<u64>) {
    let window = effective_window(limit.recorded);
    if limit.is_refused() {
        return (false, 0, Reverse(window.unwrap_or(u64::MAX)));
    }
    (true, limit.recorded.decision().remaining(), Reverse(window.unwrap_or(0)))
}

/// The point in time, in seconds since 1970, rounded up, so that a client does not come too early.
fn unix_seconds(now: SystemTime, seconds: u64) -> u64 {
    let since = now.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let rounded_up = since.as_secs().saturating_add(u64::from(since.subsec_nanos() > 0));
    rounded_up.saturating_add(seconds)
}

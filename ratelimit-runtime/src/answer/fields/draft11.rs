//! `RateLimit-Policy` and `RateLimit`, as in draft-ietf-httpapi-ratelimit-headers-11 (23 May 2026). This file has all names of
//! these two fields and their parameters.
//!
//! Both fields are lists of strings with parameters (RFC 9651). The string is the name of a limit, and the parameters are its
//! numbers.

use super::super::names::Named;
use super::{AddField, Shown, effective_window};
use crate::answer::recorded::RecordedDecision;
use crate::limit::Window;
use crate::writer::{Bytes, push_number};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const POLICY: &str = "ratelimit-policy";
const STATE: &str = "ratelimit";

/// The units that are allowed in a window.
const QUOTA: &[u8] = b";q=";
/// The kind of unit. Without this parameter, the unit is a request.
const UNIT_OF_PERMITS: &[u8] = b";qu=\"concurrent-requests\"";
/// The window, in seconds.
const WINDOW: &[u8] = b";w=";
/// The units that are left.
const AVAILABLE: &[u8] = b";r=";
/// The effective window, in seconds.
const EFFECTIVE_WINDOW: &[u8] = b";t=";
/// A parameter of this library: the capacity of the limit, in units.
const BURST: &[u8] = b";rl-burst=";

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// The largest integer of a structured field.
const MOST: u64 = 999_999_999_999_999;

/// Writes the policies of all limits, and the states of the limits in [`Shown::states`].
pub(super) fn write(limits: &Shown<'_>, add: &mut AddField<'_>) {
    add(POLICY, &list(limits.all.iter(), push_policy));
    add(STATE, &list(limits.states(), push_state));
}

/// Writes a list of names with parameters.
fn list<'n, 'r: 'n>(
    limits: impl Iterator<Item = &'n Named<'r>>,
    push_parameters: fn(&mut Bytes, &RecordedDecision),
) -> Bytes {
    let mut list = Bytes::new();
    for limit in limits {
        if !list.is_empty() {
            list.extend_from_slice(b", ");
        }
        push_name(&mut list, &limit.name);
        push_parameters(&mut list, limit.recorded);
    }
    list
}

fn push_policy(list: &mut Bytes, recorded: &RecordedDecision) {
    let limit = recorded.limit();
    push_integer(list, QUOTA, limit.count().into());
    if limit.is_concurrency() {
        // The unit `concurrent-requests` is correct only if a request takes one permit.
        if recorded.cost() == 1 {
            list.extend_from_slice(UNIT_OF_PERMITS);
        }
        return;
    }
    if let Some(window) = limit.window() {
        push_integer(list, WINDOW, window_ms(window, recorded.decision().reset_after()) / 1000);
    } else if limit.time_ms().is_multiple_of(1000) {
        push_integer(list, WINDOW, limit.time_ms() / 1000);
    }
    if limit.capacity() != limit.count() {
        push_integer(list, BURST, limit.capacity().into());
    }
}

/// The length of the current calendar window in milliseconds. Only the server's clock knows when the window ends. So the end that
/// this process computes may be wrong by a day. The length is right nevertheless.
fn window_ms(window: Window, until_end: Duration) -> u64 {
    let end = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().saturating_add(until_end);
    window.length_ms(u64::try_from(end.as_millis()).unwrap_or(u64::MAX))
}

fn push_state(list: &mut Bytes, recorded: &RecordedDecision) {
    push_integer(list, AVAILABLE, recorded.decision().remaining().into());
    if let Some(seconds) = effective_window(recorded) {
        push_integer(list, EFFECTIVE_WINDOW, seconds);
    }
}

fn push_integer(list: &mut Bytes, parameter: &[u8], value: u64) {
    list.extend_from_slice(parameter);
    push_number(list, value.min(MOST));
}

/// Writes a name as a string of printable ASCII. All other characters are percent-encoded as UTF-8. The percent sign is encoded
/// too, so that decoding returns the name.
fn push_name(list: &mut Bytes, name: &str) {
    list.push(b'"');
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' => list.extend_from_slice(&[b'\\', byte]),
            b'%' | 0..b' ' | 0x7f.. => {
                list.extend_from_slice(&[b'%', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
            }
            _ => list.push(byte),
        }
    }
    list.push(b'"');
}

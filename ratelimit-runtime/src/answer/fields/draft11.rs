//! `RateLimit-Policy` and `RateLimit`, as in draft-ietf-httpapi-ratelimit-headers-11 (23 May 2026). All names of that draft are
//! in this file.
//!
//! Both fields are lists of strings with parameters (RFC 9651): the name of a limit, and its numbers.

use super::super::names::Named;
use super::effective_window::effective_window;
use crate::context::Recorded;
use std::fmt::Write;

const POLICY: &str = "ratelimit-policy";
const STATE: &str = "ratelimit";

/// The units that are allowed in a window.
const QUOTA: &str = "q";
/// The kind of unit, if it is not requests.
const UNIT: &str = "qu";
const CONCURRENT_REQUESTS: &str = "concurrent-requests";
/// The window, in seconds.
const WINDOW: &str = "w";
/// The units that are left.
const AVAILABLE: &str = "r";
/// The effective window, in seconds.
const EFFECTIVE_WINDOW: &str = "t";
/// A parameter of this library: the most units that a bucket holds.
const BURST: &str = "rl-burst";

/// The largest integer of a structured field.
const MOST: u64 = 999_999_999_999_999;

/// Writes the policies of all limits, and the state of the limits that are shown.
pub(super) fn fields(all: &[Named<'_>], shown: &[&Named<'_>]) -> [(&'static str, String); 2] {
    let policies = list(all.iter(), push_policy);
    let states = list(shown.iter().copied(), push_state);
    [(POLICY, policies), (STATE, states)]
}

/// Writes a list of names with parameters.
fn list<'n, 'r: 'n>(
    limits: impl Iterator<Item = &'n Named<'r>>,
    push_parameters: fn(&mut String, &Recorded),
) -> String {
    let mut list = String::with_capacity(64); // enough for one limit with a name of usual length
    for limit in limits {
        if !list.is_empty() {
            list.push_str(", ");
        }
        push_name(&mut list, &limit.name);
        push_parameters(&mut list, limit.recorded);
    }
    list
}

fn push_policy(list: &mut String, recorded: &Recorded) {
    let limit = recorded.limit();
    push_integer(list, QUOTA, limit.count().into());
    if limit.is_concurrency() {
        // A call that takes another number of permits is not one request.
        if recorded.cost() == 1 {
            let _ = write!(list, ";{UNIT}=\"{CONCURRENT_REQUESTS}\"");
        }
        return;
    }
    if limit.time_ms().is_multiple_of(1000) {
        push_integer(list, WINDOW, limit.time_ms() / 1000);
    }
    if limit.capacity() != limit.count() {
        push_integer(list, BURST, limit.capacity().into());
    }
}

fn push_state(list: &mut String, recorded: &Recorded) {
    push_integer(list, AVAILABLE, recorded.decision().remaining().into());
    if let Some(seconds) = effective_window(recorded) {
        push_integer(list, EFFECTIVE_WINDOW, seconds);
    }
}

fn push_integer(list: &mut String, name: &str, value: u64) {
    let _ = write!(list, ";{name}={}", value.min(MOST));
}

/// Writes a name as a string of printable ASCII. Other characters are percent-encoded as UTF-8, and so is the percent sign, so that
/// decoding returns the name.
fn push_name(list: &mut String, name: &str) {
    list.push('"');
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' => {
                list.push('\\');
                list.push(byte.into());
            }
            b'%' | 0..b' ' | 0x7f.. => {
                let _ = write!(list, "%{byte:02X}");
            }
            _ => list.push(byte.into()),
        }
    }
    list.push('"');
}

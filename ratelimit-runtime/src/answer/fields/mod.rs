//! `RateLimitHeaders`: the header fields that describe the limits of a request in its response.

mod draft11;
#[cfg(test)]
mod tests;

use super::names::{Named, named};
use crate::answer::recorded::RecordedDecision;
use crate::rejection::whole_seconds;
use crate::writer::{Bytes, push_number};
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The header fields that describe the limits of a request in its response.
///
/// The fields show the decisions of attributes and layers, which the [`RequestContext`](crate::context::RequestContext) of the
/// request records. `Retry-After` does not depend on this setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RateLimitHeaders {
    /// `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11 (May 2026), which list the limits of the
    /// request:
    ///
    /// ```text
    /// ratelimit-policy: "search/1s";q=10;w=1, "search/1d";q=5000;w=86400
    /// ratelimit: "search/1s";r=9;t=1, "search/1d";r=4999;t=86400
    /// ```
    ///
    /// `q` units per `w` seconds are allowed, and `r` units are left for the next `t` seconds. A later draft would be a
    /// separate variant.
    Draft11,
    /// `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`, which describe one limit. If the request was
    /// refused, this is the refusing limit with the longest wait. Otherwise, this is the limit with the fewest units left.
    /// `Reset` is a number of seconds.
    XRateLimit,
    /// Like [`XRateLimit`](Self::XRateLimit), but `Reset` is a point in time: the seconds since 1970-01-01 00:00 UTC, by the
    /// clock of this machine.
    XRateLimitEpoch,
    /// No fields.
    None,
}

impl RateLimitHeaders {
    /// Whether a response with this status may have the fields. A redirection (3xx) may not, because the client requests
    /// another resource next, and other limits may apply to that resource.
    pub const fn are_allowed_on(status: u16) -> bool {
        status < 300 || status > 399
    }

    /// Returns the fields of a response with this status: names in lower case, and values in printable ASCII. Returns no fields
    /// for a redirection, or if there are no decisions.
    ///
    /// `RateLimitLayer` writes these fields. Call this function for a server without a layer, and append the fields to the
    /// fields that the response already has:
    ///
    /// ```
    /// use ratelimit::answer::RateLimitHeaders;
    /// use ratelimit::context::RequestContext;
    /// use ratelimit::{Rejection, rate_limit};
    ///
    /// #[rate_limit(key = "fields_example", count = 10)]
    /// async fn search() -> Result<(), Rejection> { Ok(()) }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let context = RequestContext::new();
    /// let status = match context.clone().scope(search()).await {
    ///     Ok(()) => 200,
    ///     Err(rejection) => rejection.status(),
    /// };
    /// for (name, value) in RateLimitHeaders::Draft11.fields(status, &context.decisions()) {
    ///     println!("{name}: {value}"); // ratelimit: "fields_example";r=9;t=60
    /// }
    /// # }
    /// ```
    ///
    /// If limits refused the request and the status is an error, `RateLimit` names only the limits that refused. So no wait in
    /// it is longer than `Retry-After`. `RateLimit-Policy` always names all limits. If a limit was decided several times, pass
    /// only its last decision, as [`RequestContext`](crate::context::RequestContext) does. Limits with
    /// [`pause_if`](crate::rate_limit#pause_if) are not shown.
    pub fn fields(self, status: u16, decisions: &[RecordedDecision]) -> Vec<(&'static str, String)> {
        let mut fields = Vec::new();
        self.write(status, decisions, &mut |name, value| {
            fields.push((name, String::from_utf8_lossy(value).into_owned()));
        });
        fields
    }

    /// Passes each of the [`fields`](Self::fields) to `add`, without a heap allocation if the response shows one limit.
    pub(crate) fn write(self, status: u16, decisions: &[RecordedDecision], add: &mut AddField<'_>) {
        let is_internal = |decision: &RecordedDecision| decision.name.is_internal();
        if decisions.iter().all(is_internal) || !Self::are_allowed_on(status) {
            return;
        }
        let now = match self {
            Self::None => return,
            Self::Draft11 => return draft11::write(&Shown::of(decisions, status), add),
            Self::XRateLimit => None,
            Self::XRateLimitEpoch => Some(SystemTime::now()),
        };
        write_x_rate_limit(&Shown::of(decisions, status), now, add);
    }
}

/// Receives the name and the value of a field.
pub(crate) type AddField<'a> = dyn FnMut(&'static str, &[u8]) + 'a;

/// The limits of a request, and whether its response shows the state of all of them.
struct Shown<'r> {
    all: SmallVec<[Named<'r>; 1]>,
    /// Whether only the limits that refused the request are shown.
    only_refused: bool,
}

impl<'r> Shown<'r> {
    fn of(decisions: &'r [RecordedDecision], status: u16) -> Self {
        let all = named(decisions);
        let only_refused = status >= 400 && all.iter().any(Named::is_refused);
        Self { all, only_refused }
    }

    /// Returns the limits whose state is shown. If limits refused the request, an error response shows only these limits. Any
    /// other response shows all limits.
    fn states(&self) -> impl Iterator<Item = &Named<'r>> {
        self.all.iter().filter(|limit| !self.only_refused || limit.is_refused())
    }
}

/// Returns the effective window in seconds, at least 1. `None` for permits, because nobody knows when their holders finish, and
/// for calls that never pass.
///
/// - A refused call: the wait, as in `Retry-After`.
/// - An admitted call: the time until nothing is in use. Without a calendar window, the result is at least the time in which
///   the limit gains as many units as are left. For example, a token bucket with 99 of 100 units may be full again in a second. A
///   client that took 99 units in each second would far exceed the rate.
pub(super) fn effective_window(recorded: &RecordedDecision) -> Option<u64> {
    let (limit, decision) = (recorded.limit(), recorded.decision());
    if limit.is_concurrency() {
        return None;
    }
    if !decision.is_allowed() {
        return decision.retry_after().map(whole_seconds);
    }
    // The call has waited for its turn since it was decided.
    let until_reset = whole_seconds(decision.reset_after().saturating_sub(decision.delay()));
    // A calendar window gives units back only at its end, which is the same for all clients.
    let has_date = limit.window().is_some() && until_reset > 0;
    Some(if has_date { until_reset } else { until_reset.max(earned_in(recorded)) })
}

/// Returns the time in which the limit gains the number of units that are left, in whole seconds, rounded up.
fn earned_in(recorded: &RecordedDecision) -> u64 {
    let (limit, remaining) = (recorded.limit(), recorded.decision().remaining());
    let ms = u128::from(remaining) * u128::from(limit.time_ms());
    let seconds = ms.div_ceil(u128::from(limit.count().max(1)) * 1000);
    u64::try_from(seconds).unwrap_or(u64::MAX)
}

const LIMIT: &str = "x-ratelimit-limit";
const REMAINING: &str = "x-ratelimit-remaining";
const RESET: &str = "x-ratelimit-reset";

/// Writes `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`, which have no standard, for the most urgent of
/// the shown limits. `X-RateLimit-Reset` is the effective window in seconds. If `now` is given, the field is the point in time
/// at which this window ends. If the limit has no effective window, the field is left out.
fn write_x_rate_limit(limits: &Shown<'_>, now: Option<SystemTime>, add: &mut AddField<'_>) {
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

/// Returns the sort key of a limit, the most urgent limit first: refusals come before admissions. Among refusals the longest
/// wait is first, among admissions the fewest units that are left.
fn urgency(limit: &Named<'_>) -> (bool, u32, Reverse<u64>) {
    let window = effective_window(limit.recorded);
    if limit.is_refused() {
        return (false, 0, Reverse(window.unwrap_or(u64::MAX)));
    }
    (true, limit.recorded.decision().remaining(), Reverse(window.unwrap_or(0)))
}

/// Returns the time `seconds` after `now`, in seconds since 1970. It is rounded up, so that a client does not come too early.
fn unix_seconds(now: SystemTime, seconds: u64) -> u64 {
    let since = now.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let rounded_up = since.as_secs().saturating_add(u64::from(since.subsec_nanos() > 0));
    rounded_up.saturating_add(seconds)
}

//! Logs events of single limits at a bounded rate. Without a `tracing` subscriber, writes the first error to stderr.

#[cfg(feature = "trace")]
use super::Outcome;
use super::{LimitMetrics, registry};
#[cfg(feature = "trace")]
use crate::decision::Decision;
use crate::error::{Error, ErrorKind};
use crate::limit::Limit;
use std::io::{Write, stderr};
use std::panic::Location;
use std::sync::Once;
use std::time::Duration;

/// The minimum time between two log lines about errors of one limit.
const BETWEEN_ERRORS: Duration = Duration::from_secs(60);
/// The minimum time between two log lines about refusals by one shadow limit.
const BETWEEN_REFUSALS: Duration = Duration::from_secs(1);

/// Logs an error that the operator must fix, at most once a minute for each limit. Transient errors are not logged here, but as
/// an outage. A call without an identity is not logged, because it is the mistake of a client.
pub(crate) fn error(name: &str, error: &Error, consequence: &str) {
    let must_be_fixed = !error.is_transient() && error.kind() != ErrorKind::NoIdentity;
    if !must_be_fixed {
        return;
    }
    // The line shows the name in the registry, whose length is bounded. A client may have chosen the name that a method
    // receives.
    let entry = registry::named(name);
    if entry.errors.due(BETWEEN_ERRORS).is_some() {
        tracing::error!(target: "ratelimit::errors", limit = entry.name(), %error, "{consequence}");
        if !tracing::dispatcher::has_been_set() {
            say_once(entry.name(), error, consequence);
        }
    }
}

/// Writes the first error to stderr, for a program without a `tracing` subscriber. Otherwise such a program would reject calls
/// silently.
#[cold]
fn say_once(name: &str, error: &Error, consequence: &str) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = writeln!(
            stderr(),
            "ratelimit: {consequence}: {error} (limit `{}`; without a `tracing` subscriber, later errors are not shown)",
            name.escape_debug()
        );
    });
}

/// Logs that a shadow limit would have refused calls, at most once a second for each limit.
pub(crate) fn shadow_refusal(name: &str, retry_after: Option<Duration>) {
    let entry = registry::named(name);
    if let Some(calls_since_last) = entry.shadow_refusals.due(BETWEEN_REFUSALS) {
        tracing::info!(
            target: "ratelimit::shadow",
            limit = entry.name(),
            calls_since_last,
            retry_after = retry_after.map(tracing::field::debug),
            "a shadow limit would have refused calls"
        );
    }
}

/// Logs that two attributes or layers have one name and different limits.
pub(super) fn clash(name: &str, [first, second]: [(&Limit, &Location<'_>); 2]) {
    let shown =
        |(limit, place): (&Limit, &Location<'_>)| format!("{limit} ({}:{})", place.file(), place.line());
    tracing::warn!(
        target: "ratelimit::names",
        limit = name,
        "two limits have one name, so they share one state and neither holds: {} and {}; give both the same numbers, or one of \
         them another name (`key`)",
        shown(first),
        shown(second)
    );
}

/// Logs, once for each limit, that one request was counted twice.
#[cold]
pub(crate) fn counted_twice(name: &str) {
    let entry = registry::named(name);
    if entry.first_doubled() {
        tracing::warn!(
            target: "ratelimit::names",
            limit = entry.name(),
            "one request was counted twice: a `RateLimitLayer` and a limited function, or two layers, have this name and the same \
             identity; remove one of the two limits, or give it another name"
        );
    }
}

/// Counts and logs permits of one limit whose leases were lost while their holders were still running.
#[cold]
pub(crate) fn lost_permits(name: &str, permits: u64) {
    LimitMetrics::named(name).count_lost_permits(permits);
    tracing::warn!(
        target: "ratelimit::permits",
        limit = registry::named(name).name(),
        permits,
        "permits were lost while their holders were still running; other calls may run beside them"
    );
}

/// The minimum time between two log lines about refusals by one limit that is not a shadow limit.
#[cfg(feature = "trace")]
const BETWEEN: Duration = Duration::from_secs(10);

/// Counts a refusal. If a line is due, logs the number of refusals since the last line. [`shadow_refusal`] logs the refusals of
/// shadow limits.
#[cold]
#[cfg(feature = "trace")]
pub(super) fn refusal(name: &str, outcome: Outcome, decision: &Decision) {
    if outcome == Outcome::ShadowLimited {
        return;
    }
    // Limits that share an entry of the registry also share its log line, which shows the name of the entry.
    let entry = registry::named(name);
    if let Some(calls_since_last) = entry.refusals.due(BETWEEN) {
        tracing::info!(
            target: "ratelimit::refusals",
            limit = entry.name(),
            calls_since_last,
            retry_after = decision.retry_after().map(tracing::field::debug),
            "a limit refuses calls"
        );
    }
}

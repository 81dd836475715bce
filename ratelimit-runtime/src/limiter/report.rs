//! Logs events of single limits at a bounded rate, so that a flood of calls does not flood the log. Without a log, says the first
//! error on stderr.

use crate::error::{Error, ErrorKind};
use std::collections::HashMap;
use std::io::{Write, stderr};
use std::sync::{LazyLock, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// The time between two reports of errors of one limit.
const BETWEEN_ERRORS: Duration = Duration::from_secs(60);
/// The time between two reports of refusals by one shadow limit.
const BETWEEN_REFUSALS: Duration = Duration::from_secs(1);

/// The most limits that are remembered. It bounds the memory of a program that generates names.
const MOST_NAMES: usize = 1000;

/// The last report of each limit.
type Last = LazyLock<Mutex<HashMap<Box<str>, Report>>>;

struct Report {
    at: Instant,
    /// The number of events since the last report.
    unreported: u64,
}

/// Counts an event. If a report is due, returns the number of events since the last report, with this one.
fn due(last: &Last, name: &str, between: Duration) -> Option<u64> {
    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
    let now = Instant::now();
    let Some(report) = last.get_mut(name) else {
        if last.len() >= MOST_NAMES {
            last.clear();
        }
        last.insert(name.into(), Report { at: now, unreported: 0 });
        return Some(1);
    };
    report.unreported += 1;
    if now.saturating_duration_since(report.at) < between {
        return None;
    }
    report.at = now;
    Some(std::mem::take(&mut report.unreported))
}

/// Logs an error that the operator must fix, at most once a minute for each limit. Transient errors are logged as an
/// outage. A call without identity is not logged, because it is the mistake of a client.
pub(crate) fn error(name: &str, error: &Error, consequence: &str) {
    static LAST: Last = LazyLock::new(Mutex::default);
    let must_be_fixed = !error.is_transient() && error.kind() != ErrorKind::NoIdentity;
    if must_be_fixed && due(&LAST, name, BETWEEN_ERRORS).is_some() {
        tracing::error!(target: "ratelimit::errors", limit = name, %error, "{consequence}");
        if !tracing::dispatcher::has_been_set() {
            say_once(name, error, consequence);
        }
    }
}

/// Writes the first error to stderr, for a program without a `tracing` subscriber. It would otherwise reject calls without a
/// word.
#[cold]
fn say_once(name: &str, error: &Error, consequence: &str) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = writeln!(
            stderr(),
            "ratelimit: {consequence}: {error} (limit `{name}`; without a `tracing` subscriber, later errors are not shown)"
        );
    });
}

/// Logs that a shadow limit would have refused calls, at most once a second for each limit.
pub(crate) fn shadow_refusal(name: &str, retry_after: Option<Duration>) {
    static LAST: Last = LazyLock::new(Mutex::default);
    if let Some(calls_since_last) = due(&LAST, name, BETWEEN_REFUSALS) {
        tracing::info!(
            target: "ratelimit::shadow",
            limit = name,
            calls_since_last,
            retry_after = retry_after.map(tracing::field::debug),
            "a shadow limit would have refused calls"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_makes_one_report_and_every_event_is_counted() {
        let last: Last = LazyLock::new(Mutex::default);
        let hour = Duration::from_secs(3600);
        assert_eq!(due(&last, "a", hour), Some(1));
        for _ in 0..1000 {
            assert_eq!(due(&last, "a", hour), None);
        }
        assert_eq!(due(&last, "b", hour), Some(1));
        assert_eq!(due(&last, "a", Duration::ZERO), Some(1001));
    }
}

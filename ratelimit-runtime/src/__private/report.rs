//! Reports about single limits, so spaced that a flood of calls does not flood the log.

use crate::error::Error;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time between two reports about one limit.
const BETWEEN_ERRORS: Duration = Duration::from_secs(60);
const BETWEEN_REFUSALS: Duration = Duration::from_secs(1);

/// What was reported last about each limit.
type Last = LazyLock<Mutex<HashMap<&'static str, Report>>>;

struct Report {
    at: Instant,
    /// How often there was something to report since.
    since: u64,
}

/// Counts one more, and returns the number since the last report, if it is time for another.
fn due(last: &Last, name: &'static str, between: Duration) -> Option<u64> {
    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
    let now = Instant::now();
    let Some(report) = last.get_mut(name) else {
        last.insert(name, Report { at: now, since: 0 });
        return Some(1);
    };
    report.since += 1;
    if now.saturating_duration_since(report.at) < between {
        return None;
    }
    report.at = now;
    Some(std::mem::take(&mut report.since))
}

/// Reports an error that somebody has to mend, once a minute for each limit. Outages are the limiter's to report.
pub(super) fn error(name: &'static str, error: &Error, consequence: &str) {
    static LAST: Last = LazyLock::new(Mutex::default);
    if !error.is_transient() && due(&LAST, name, BETWEEN_ERRORS).is_some() {
        tracing::error!(limit = name, %error, "{consequence}");
    }
}

/// Reports that a shadow limit would have refused calls, once a second for each limit.
pub(super) fn shadow_refusal(name: &'static str, retry_after: Option<Duration>) {
    static LAST: Last = LazyLock::new(Mutex::default);
    if let Some(calls) = due(&LAST, name, BETWEEN_REFUSALS) {
        tracing::info!(limit = name, calls, ?retry_after, "a shadow limit would have refused calls");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_one_report_and_none_is_left_uncounted() {
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

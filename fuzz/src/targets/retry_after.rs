//! Fuzz target `retry_after`: reads the header `Retry-After` of a partner, and compares its seconds with an independent
//! definition.

use ratelimit::outgoing::retry_after;
use std::time::Duration;

pub(super) fn run(value: &[u8]) {
    let found = retry_after(value);
    let text = std::str::from_utf8(value).map(str::trim);
    let seconds = text.ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty());
    if let Some(seconds) = seconds {
        let expected = Duration::from_secs(seconds.parse().unwrap_or(u64::MAX));
        assert!(found == Some(expected), "{seconds:?} is read as {found:?}");
    } else {
        let is_date = text.is_ok_and(|text| text.contains(':'));
        assert!(found.is_none() || is_date, "{value:?} is read as {found:?}");
    }
}

//! Outgoing calls: reads the time after which a partner accepts the next call.

use std::time::{Duration, SystemTime};

/// Reads the value of a header field `Retry-After`: a number of seconds, or an HTTP date, which is compared with the clock of
/// this machine. `None` if the value is neither. For a date in the past, the result is zero.
///
/// The value can be a `&str`, or the value that the usual clients return for a header field, such as the `HeaderValue` of
/// reqwest, hyper and axum. With [`pause_if`](crate::rate_limit#pause_if), the limit then pauses for this time in all processes:
///
/// ```
/// # mod reqwest { pub type Response = http::Response<()>; pub async fn get(_: &str) -> Result<Response, ratelimit::Rejection> { Ok(http::Response::new(())) } }
/// use ratelimit::outgoing::retry_after;
/// use ratelimit::{Rejection, rate_limit};
/// use std::time::Duration;
///
/// fn pause<E>(answer: &Result<reqwest::Response, E>) -> Option<Duration> {
///     let answer = answer.as_ref().ok().filter(|answer| matches!(answer.status().as_u16(), 429 | 503))?;
///     answer.headers().get("retry-after").and_then(retry_after)
/// }
///
/// #[rate_limit(key = "partner", algorithm = "leaky_bucket", time = "1s", count = 50, wait = "60s", pause_if = pause)]
/// async fn ask_partner(query: &str) -> Result<reqwest::Response, Rejection> {
///     reqwest::get(query).await
/// }
/// ```
pub fn retry_after(value: impl AsRef<[u8]>) -> Option<Duration> {
    let text = std::str::from_utf8(value.as_ref()).ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_dates_are_read() {
        for (text, seconds) in [("0", 0), ("120", 120), (" 7 ", 7), ("99999999999999999999", u64::MAX)] {
            assert_eq!(retry_after(text), Some(Duration::from_secs(seconds)), "{text}");
        }
        let later = SystemTime::now() + Duration::from_secs(3600);
        let left = retry_after(httpdate::fmt_http_date(later)).unwrap();
        assert!((Duration::from_secs(3500)..=Duration::from_secs(3600)).contains(&left), "{left:?}");
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::ZERO));
        for wrong in ["", "-1", "1.5", "1s", "soon", "\u{661}"] {
            assert_eq!(retry_after(wrong), None, "{wrong}");
        }
        assert_eq!(retry_after(b"\xff"), None);
    }
}

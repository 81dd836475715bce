//! Tests `X-RateLimit-*` byte for byte.

use super::super::{Shown, write_x_rate_limit};
use super::*;
use std::time::UNIX_EPOCH;

const BURST: Limit = Limit::counter(10, ONE_SECOND);
const DAILY: Limit = Limit::counter(5000, DAY);

fn assert_lines(status: u16, decisions: &[RecordedDecision], expected: [u64; 3]) {
    let [limit, remaining, reset] = expected;
    let expected = format!(
        "x-ratelimit-limit: {limit}\nx-ratelimit-remaining: {remaining}\nx-ratelimit-reset: {reset}\n"
    );
    assert_eq!(lines(RateLimitHeaders::XRateLimit, status, decisions), expected);
}

#[test]
fn the_limit_with_the_fewest_units_left() {
    let (burst, daily) = (admitted("a", BURST, 9, ONE_SECOND), admitted("b", DAILY, 4999, DAY));
    assert_lines(200, &[burst.clone(), daily.clone()], [10, 9, 1]);
    assert_lines(200, &[daily, burst.clone()], [10, 9, 1]);
    assert_lines(200, &[burst, admitted("b", DAILY, 9, DAY)], [5000, 9, 86_400]);
}

#[test]
fn the_refusal_with_the_longest_wait() {
    let waits = [Duration::from_millis(400), Duration::from_secs(3600)].map(Some);
    let (burst, daily) = (refused("a", BURST, 0, waits[0]), refused("b", DAILY, 3, waits[1]));
    assert_lines(429, &[burst.clone(), daily], [5000, 3, 3600]);
    assert_lines(429, &[burst.clone(), admitted("b", DAILY, 0, DAY)], [10, 0, 1]);
    assert_lines(200, &[burst, admitted("b", DAILY, 0, DAY)], [10, 0, 1]);
}

#[test]
fn a_bucket_has_its_capacity() {
    let bucket = Limit::token_bucket(10, ONE_SECOND).burst(20);
    assert_lines(200, &[admitted("b", bucket, 19, Duration::from_millis(100))], [20, 19, 2]);
}

#[test]
fn permits_and_calls_that_never_pass_have_no_reset() {
    let permits = Limit::concurrency(5, ONE_SECOND);
    let expected = "x-ratelimit-limit: 5\nx-ratelimit-remaining: 4\n";
    assert_eq!(lines(RateLimitHeaders::XRateLimit, 200, &[admitted("p", permits, 4, ONE_SECOND)]), expected);
    let never = [refused("n", Limit::counter(5, DAY), 4, None), refused("a", BURST, 0, Some(ONE_SECOND))];
    assert_eq!(lines(RateLimitHeaders::XRateLimit, 429, &never), expected);
    assert_eq!(lines(RateLimitHeaders::XRateLimitEpoch, 429, &never), expected);
}

#[test]
fn a_reset_may_be_a_point_in_time() {
    let decisions = [admitted("a", DAILY, 9, Duration::from_secs(60))];
    for (now_ms, reset) in [(1_700_000_000_000, 1_700_000_156), (1_700_000_000_001, 1_700_000_157)] {
        let now = UNIX_EPOCH + Duration::from_millis(now_ms);
        let mut fields = Vec::new();
        write_x_rate_limit(&Shown::of(&decisions, 200), Some(now), &mut |name, value| {
            fields.push((name, String::from_utf8_lossy(value).into_owned()));
        });
        assert_eq!(fields[2], ("x-ratelimit-reset", format!("{reset}")));
    }
    assert_eq!(RateLimitHeaders::XRateLimitEpoch.fields(200, &decisions).len(), 3);
}

//! With the feature `trace`, refusals are logged at a bounded rate.

use crate::recorder::recorded;
use ratelimit::{Key, Limit, RateLimiter};
use support::{HOUR, take_events};

#[tokio::test]
async fn a_flood_of_refusals_is_one_line_without_the_identity() {
    let _ = take_events();
    let (limiter, limit) = (RateLimiter::in_memory(), Limit::counter(1, HOUR));
    for _ in 0..500 {
        let _ = limiter.check(&limit, Key::new("flood").by("alice")).await;
    }
    let events = take_events();
    let lines: Vec<String> = events.iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert_eq!(events[0].target, "ratelimit::refusals");
    assert!(lines[0].starts_with("INFO"), "{lines:#?}");
    assert!(lines[0].contains("limit=flood calls_since_last=1"), "{lines:#?}");
    assert!(lines[0].contains(" retry_after=3") && !lines[0].contains("Some"), "{lines:#?}");
    assert!(!lines[0].contains("alice"));
}

#[tokio::test]
async fn a_very_long_name_is_counted_and_logged_as_other() {
    let (recorded, _) = (recorded(), take_events());
    let (limiter, limit) = (RateLimiter::in_memory(), Limit::counter(1, HOUR));
    for last in ["a", "b"] {
        let name = "n".repeat(256) + last;
        for _ in 0..3 {
            let _ = limiter.check(&limit, name.as_str()).await;
        }
        assert_eq!(recorded.outcomes(&name), "");
    }
    assert_eq!(recorded.outcomes("_OTHER"), "allowed 2, limited 4");
    let lines: Vec<String> = take_events().iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 1, "both names share a counter: {lines:#?}");
    assert!(lines[0].contains("limit=_OTHER calls_since_last=1"), "{lines:#?}");
}

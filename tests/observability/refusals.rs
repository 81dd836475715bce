//! With the feature `trace`, refusals are logged at a bounded rate.

use ratelimit::{Key, Limit, RateLimiter};
use support::{HOUR, take_events};

#[tokio::test]
async fn a_flood_of_refusals_is_one_line_without_the_identity() {
    let _ = take_events();
    let (limiter, limit) = (RateLimiter::in_memory(), Limit::counter(1, HOUR));
    for _ in 0..500 {
        let _ = limiter.check(&limit, Key::new("flood").by("alice")).await;
    }
    let lines: Vec<String> = take_events().iter().map(ToString::to_string).collect();
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(lines[0].starts_with("INFO") && lines[0].contains("limit=flood calls=1"), "{lines:#?}");
    assert!(!lines[0].contains("alice"));
}

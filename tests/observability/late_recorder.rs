//! A recorder that is installed after the first calls. The test is a separate process, because a process has only one
//! recorder.
#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]

mod recorder;

use ratelimit::{Limit, RateLimiter};
use recorder::recorded;
use std::time::Duration;

#[tokio::test]
async fn counting_begins_with_the_recorder_and_gauges_are_right_at_once() {
    let (limiter, hour) = (RateLimiter::in_memory(), Duration::from_secs(3600));
    let (limit, gate) = (Limit::counter(100, hour), Limit::concurrency(100, hour));
    let early = limiter.permit_cost(&gate, "gate", 7).await.unwrap();
    for _ in 0..10 {
        limiter.check(&limit, "late").await.unwrap();
    }
    let recorded = recorded();
    for _ in 0..5 {
        limiter.check(&limit, "late").await.unwrap();
    }
    assert_eq!(recorded.outcomes("late"), "allowed 5", "the first ten went nowhere");
    drop(limiter.permit(&gate, "gate").await.unwrap());
    assert_eq!(recorded.gauge("ratelimit.permits", "gate"), 7, "the permit that was taken before is seen");
    drop(early);
    assert_eq!(recorded.gauge("ratelimit.permits", "gate"), 0);
    // Uses the methods that only other tests need, so that the compiler reports no dead code.
    let _ = (recorded.emitted(), recorded.values(), recorded.described("late"));
    let _ = recorded.get(ratelimit::observe::Kind::Counter, "late", &[]).changes;
}

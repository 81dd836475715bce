//! The recorded decisions are the source of header fields. After a function has returned, they contain the units that are
//! really left.

use ratelimit::testing::TestLimiter;
use ratelimit::{Decision, Rejection, rate_limit};
use std::future::Future;
use std::time::Duration;

#[rate_limit(key = "refund", count = 5, refund_if = |right: &Result<bool, _>| matches!(right, Ok(true)))]
async fn refund(right: bool) -> Result<bool, Rejection> {
    Ok(right)
}

#[rate_limit(key = "log", count = 5, algorithm = "sliding_log", refund_if = |right: &Result<bool, _>| matches!(right, Ok(true)))]
async fn log(right: bool) -> Result<bool, Rejection> {
    Ok(right)
}

#[rate_limit(key = "settle", count = 100, cost = 50, settle = |real| *real.as_ref().unwrap_or(&0))]
async fn settle(real: u32) -> Result<u32, Rejection> {
    Ok(real)
}

#[rate_limit(key = "bucket", count = 100, time = "100s", algorithm = "token_bucket", cost = 50, settle = |real| *real.as_ref().unwrap_or(&0))]
async fn bucket(real: u32) -> Result<u32, Rejection> {
    Ok(real)
}

#[rate_limit(key = "first", count = 5)]
#[rate_limit(key = "second", count = 5, refund_if = Result::is_ok)]
async fn stack() -> Result<(), Rejection> {
    Ok(())
}

/// Returns what was recorded for each limit of a call: the units that are left, and the time until no unit is in use. Asserts
/// that a `peek` at each limit returns the same values.
async fn seen<T>(limiter: &TestLimiter, call: impl Future<Output = T>) -> Vec<(u32, Duration)> {
    let state = |decision: &Decision| (decision.remaining(), decision.reset_after());
    let (_, recorded) = limiter.record(call).await;
    let mut seen = Vec::new();
    for recorded in recorded {
        let said = state(recorded.decision());
        let key = ratelimit::Key::new(recorded.name());
        let is = state(&limiter.peek(recorded.limit(), key).await.unwrap());
        assert_eq!(said, is, "{}", recorded.name());
        seen.push(said);
    }
    seen
}

/// A client may choose how many items its request contains, and so how often a limited function is called. The number of
/// recorded decisions must not grow with these calls.
#[tokio::test]
async fn of_many_calls_the_last_decision_of_each_limit_is_kept() {
    #[rate_limit(key = "item", count = 5, refund_if = Result::is_ok)]
    async fn item() -> Result<(), Rejection> {
        Ok(())
    }
    let limiter = TestLimiter::new();
    let list = async {
        for _ in 0..100_000 {
            item().await?;
        }
        stack().await
    };
    let (ended, recorded) = limiter.record(list).await;
    ended.unwrap();
    let kept: Vec<_> = recorded.iter().map(|made| (made.name(), made.decision().remaining())).collect();
    assert_eq!(kept, [("item", 5), ("first", 4), ("second", 5)]);
}

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_refund_is_recorded() {
    let limiter = TestLimiter::new();
    assert_eq!(seen(&limiter, refund(true)).await, [(5, MINUTE)]); // the window continues after a refund
    assert_eq!(seen(&limiter, refund(false)).await, [(4, MINUTE)]);
    assert_eq!(seen(&limiter, refund(true)).await, [(4, MINUTE)]);
}

/// A refund is also recorded if the charge was made at time 0 of the clock.
#[tokio::test]
async fn a_refund_of_a_log_is_recorded() {
    let limiter = TestLimiter::new();
    assert_eq!(seen(&limiter, log(true)).await, [(5, Duration::ZERO)]);
    assert_eq!(seen(&limiter, log(false)).await, [(4, MINUTE)]);
}

#[tokio::test]
async fn the_real_cost_is_recorded() {
    let limiter = TestLimiter::new();
    assert_eq!(seen(&limiter, settle(20)).await, [(80, MINUTE)]);
    assert_eq!(seen(&limiter, settle(70)).await, [(10, MINUTE)]);
    assert_eq!(seen(&limiter, bucket(20)).await, [(80, Duration::from_secs(20))]);
    assert_eq!(seen(&limiter, bucket(70)).await, [(10, Duration::from_secs(90))]);
}

#[tokio::test]
async fn only_the_limit_that_is_refunded_changes() {
    assert_eq!(seen(&TestLimiter::new(), stack()).await, [(4, MINUTE), (5, MINUTE)]);
}

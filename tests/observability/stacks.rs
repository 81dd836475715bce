//! Several limits of one call: each limit has an outcome.

use crate::recorder::recorded;
use ratelimit::observe::Kind;
use ratelimit::{ErrorKind, Limit, OnError, RateLimiter, Rejection, rate_limit};
use support::{DAY, HOUR, StubStore};

#[tokio::test]
async fn the_limit_that_refuses_bites_and_the_others_are_named() {
    let (recorded, limiter) = (recorded(), RateLimiter::in_memory());
    let (hourly, daily) = (Limit::counter(2, HOUR), Limit::counter(100, DAY));
    for _ in 0..5 {
        let _ = limiter.check_all(&[(&hourly, &"stack/1h", 1), (&daily, &"stack/1d", 1)]).await;
    }
    assert_eq!(recorded.outcomes("stack/1h"), "allowed 2, limited 3");
    assert_eq!(recorded.outcomes("stack/1d"), "allowed 2, other_limited 3");
}

#[tokio::test]
async fn every_limit_of_an_attribute_is_counted() {
    #[rate_limit(key = "two/1h", time = "1h", count = 2)]
    #[rate_limit(key = "two/1d", time = "1d", count = 100)]
    async fn two() -> Result<(), Rejection> {
        Ok(())
    }

    // The limits are an exempt limit, a shadow limit, a limit whose units can be returned, and a limit of permits.
    #[rate_limit(key = "many exempt", time = "1h", count = 1, skip_if = exempt)]
    #[rate_limit(key = "many trial", time = "1h", count = 1, shadow = true)]
    #[rate_limit(key = "many refund", time = "1h", count = 2, refund_if = Result::is_err)]
    #[rate_limit(key = "many permit", time = "1h", count = 1, algorithm = "concurrency")]
    async fn many(exempt: bool) -> Result<(), Rejection> {
        Ok(())
    }

    let recorded = recorded();
    ratelimit::scope(RateLimiter::in_memory(), async {
        for _ in 0..4 {
            let _ = (two().await, many(true).await);
        }
    })
    .await;
    assert_eq!(recorded.outcomes("two/1h"), "allowed 2, limited 2");
    assert_eq!(recorded.outcomes("two/1d"), "allowed 2, other_limited 2");
    assert_eq!(recorded.outcomes("many exempt"), "exempt 4");
    assert_eq!(recorded.outcomes("many trial/shadow"), "other_limited 2, shadow_allowed 1, shadow_limited 1");
    assert_eq!(recorded.outcomes("many refund"), "allowed 2, limited 2");
    let near =
        |name| recorded.get(Kind::Counter, "ratelimit.near_limit", &[("ratelimit.limit", name)]).whole();
    assert_eq!((near("many permit"), near("many refund")), (2, 1));
    assert_eq!(recorded.outcomes("many permit"), "allowed 2, other_limited 2");
}

#[tokio::test]
async fn a_failure_policy_decides_about_every_limit() {
    let recorded = recorded();
    let store = StubStore::failing(ErrorKind::Unavailable);
    let limiter = RateLimiter::builder().store(store).on_error(OnError::Deny).connect().await.unwrap();
    let limit = Limit::counter(2, HOUR);
    assert!(limiter.check_all(&[(&limit, &"denied/a", 1), (&limit, &"denied/b", 1)]).await.is_err());
    assert_eq!(recorded.outcomes("denied/a"), "policy_denied 1");
    assert_eq!(recorded.outcomes("denied/b"), "policy_denied 1");
}

//! `on_error`: the decision about a call when the store fails.

use crate::harness::{Runs, counted, unavailable};
use ratelimit::{ErrorKind, OnError, RateLimiter, Rejection, rate_limit};
use support::StubStore;

counted! {
    #[rate_limit(key = "k", count = 1)] by_the_limiter;
    #[rate_limit(key = "k", count = 1, on_error = "local")] local;
    #[rate_limit(key = "k", count = 1, on_error = "allow")] allow;
    #[rate_limit(key = "k", count = 1, on_error = "deny")] deny;
    #[rate_limit(key = "permits", count = 1, algorithm = "concurrency", on_error = "deny")] deny_permits;
    #[rate_limit(key = "refunded", count = 1, refund_if = Result::is_err)] refunded;
    #[rate_limit(key = "k", count = 1, shadow = true, on_error = "deny")] shadow;
}

#[rate_limit(key = "a", count = 1, on_error = "deny", skip_if = runs.count() > 100)]
#[rate_limit(key = "b", count = 1, refund_if = Result::is_err)]
async fn deny_a_stack(runs: &Runs) -> Result<u32, Rejection> {
    Ok(runs.add())
}

async fn with<F: Future>(on_error: OnError, test: F) -> F::Output {
    let limiter = RateLimiter::builder()
        .store(StubStore::failing(ErrorKind::Unavailable))
        .on_error(on_error)
        .connect()
        .await
        .unwrap();
    ratelimit::scope(limiter, test).await
}

#[tokio::test]
async fn each_function_may_have_its_own_policy() {
    let runs = &Runs::default();
    for policy in [OnError::Local, OnError::Allow, OnError::Deny] {
        with(policy, async {
            assert_eq!(by_the_limiter(runs).await.is_ok(), policy != OnError::Deny);
            assert_eq!(by_the_limiter(runs).await.is_ok(), policy == OnError::Allow);
            assert_eq!(refunded(runs).await.is_ok(), policy != OnError::Deny);
            assert_eq!(refunded(runs).await.is_ok(), policy == OnError::Allow, "{policy:?}: used up");
        })
        .await;
        with(policy, async {
            assert!(local(runs).await.is_ok());
            assert!(local(runs).await.unwrap_err().decision().is_some());
            assert!(allow(runs).await.is_ok() && allow(runs).await.is_ok());
            assert_eq!(unavailable(deny(runs).await).kind(), ErrorKind::Unavailable);
            assert_eq!(unavailable(deny_a_stack(runs).await).kind(), ErrorKind::Unavailable);
            assert_eq!(unavailable(deny_permits(runs).await).kind(), ErrorKind::Unavailable);
            assert!(shadow(runs).await.is_ok() && shadow(runs).await.is_ok());
        })
        .await;
    }
}

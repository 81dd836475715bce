//! `shadow`: limits that are decided and reported, but never refuse.

use crate::harness::{Failed, Runs, keys_of, limited, reported, scoped, soon};
use ratelimit::{Key, Limit, Rejection, rate_limit};
use support::MINUTE;

#[rate_limit(key = "shadow", count = 2, by = user, shadow = true)]
async fn tried_out(user: &str, runs: &Runs) -> Result<u32, Rejection> {
    Ok(runs.add())
}

#[rate_limit(key = "beside", count = 2, by = user)]
#[rate_limit(key = "beside", count = 1, by = user, shadow = true)]
async fn beside_a_real_one(user: &str, runs: &Runs) -> Result<u32, Rejection> {
    Ok(runs.add())
}

limited! {
    #[rate_limit(key = "k", count = 1, by = user, shadow = *tried)] at_will(user: &str, tried: &bool);
    #[rate_limit(key = "bucket", count = 5, cost = 5, settle = |_| 3, shadow = true)] settled();
    #[rate_limit(key = "turns", time = "1h", count = 1, algorithm = "leaky_bucket", wait = "1h", shadow = true)]
    turns();
    #[rate_limit(key = "nobody", by = nobody, shadow = true)] nobody(nobody: Option<&str>);
}

#[rate_limit(key = "permits", count = 1, algorithm = "concurrency", wait = "1m", shadow = true)]
async fn permits(until: &tokio::sync::Notify) -> Result<(), Rejection> {
    until.notified().await;
    Ok(())
}

#[rate_limit(key = "failures", count = 1, refund_if = Result::is_ok, shadow = true)]
async fn failures_only(fails: bool) -> Result<(), Failed> {
    if fails { Err(Failed::Other) } else { Ok(()) }
}

#[rate_limit(key = "any", count = 1, shadow = true)]
async fn of_any_type() -> u32 {
    7
}

#[rate_limit(key = "any", count = 1, refund_if = |number| *number > 0, shadow = true)]
#[rate_limit(key = "permits", count = 1, algorithm = "concurrency", shadow = true)]
async fn of_any_type_judged() -> u32 {
    7
}

#[rate_limit(key = "any", count = 1, shadow = true)]
async fn opaque() -> impl Iterator<Item = u32> {
    0..7
}

#[rate_limit(key = "any", count = 1, settle = |_| 1, shadow = true)]
async fn opaque_judged() -> impl Iterator<Item = u32> {
    0..7
}

#[rate_limit(key = "any", count = 1, shadow = true)]
fn opaque_future() -> impl Future<Output = impl Iterator<Item = u32>> {
    async { 0..7 }
}

/// Returns the units that remain of a shadow limit.
async fn left(limit: &Limit, key: Key<'_>) -> u32 {
    let limiter = ratelimit::RateLimiter::scoped().unwrap();
    limiter.peek(limit, key).await.unwrap().remaining()
}

#[tokio::test]
async fn a_shadow_limit_reports_what_it_would_refuse_and_refuses_nothing() {
    let runs = &Runs::default();
    let reported = reported(scoped(async {
        for _ in 0..5 {
            assert!(tried_out("ann", runs).await.is_ok());
        }
        assert!(tried_out("bob", runs).await.is_ok());
    }));
    // Refusals are reported at most once per second.
    assert_eq!(reported.await, ["shadow/shadow"]);
    assert_eq!(runs.count(), 6);
}

#[tokio::test]
async fn a_shadow_limit_has_its_own_state_and_counts_admitted_calls() {
    let runs = &Runs::default();
    let reported = reported(scoped(async {
        assert!(beside_a_real_one("ann", runs).await.is_ok());
        assert!(beside_a_real_one("ann", runs).await.is_ok());
        assert!(beside_a_real_one("ann", runs).await.is_err());
    }));
    // The real limit refused the third call, so the store did not charge the shadow limit for it.
    assert_eq!(reported.await, ["beside/shadow"]);
    assert_eq!(keys_of(beside_a_real_one("ann", runs)).await, ["{ann}:beside", "{ann}:beside/shadow"]);
}

#[tokio::test]
async fn an_expression_decides_at_each_call() {
    let keys = keys_of(async {
        at_will("ann", &false).await.unwrap();
        at_will("ann", &true).await.unwrap();
    });
    assert_eq!(keys.await, ["{ann}:k", "{ann}:k/shadow"]);
    scoped(async {
        assert!(at_will("ann", &false).await.is_ok());
        assert!(at_will("ann", &true).await.is_ok());
        assert!(at_will("ann", &true).await.is_ok());
        assert!(at_will("ann", &false).await.is_err());
    })
    .await;
}

#[tokio::test]
async fn shadow_permits_are_held_and_returned_without_waiting() {
    const PERMITS: Limit = Limit::concurrency(1, MINUTE);
    scoped(async {
        let until = tokio::sync::Notify::new();
        let mut first = Box::pin(permits(&until));
        let mut second = Box::pin(permits(&until));
        assert!(soon(&mut first).await.is_none());
        assert_eq!(left(&PERMITS, Key::new("permits/shadow")).await, 0);
        assert!(soon(&mut second).await.is_none());
        until.notify_waiters();
        assert!(soon(&mut second).await.is_some_and(|result| result.is_ok()));
        assert_eq!(left(&PERMITS, Key::new("permits/shadow")).await, 0, "the first has its permit still");
        assert!(soon(&mut first).await.is_some_and(|result| result.is_ok()));
        assert_eq!(left(&PERMITS, Key::new("permits/shadow")).await, 1);
    })
    .await;
}

#[tokio::test]
async fn results_change_the_charges_of_shadow_limits() {
    const FAILURES: Limit = Limit::counter(1, MINUTE);
    const MORE_FAILURES: Limit = Limit::counter(4, MINUTE);
    const BUCKET: Limit = Limit::counter(5, MINUTE);
    scoped(async {
        assert!(failures_only(false).await.is_ok());
        assert_eq!(left(&FAILURES, Key::new("failures/shadow")).await, 1);
        for _ in 0..3 {
            assert!(failures_only(true).await.is_err());
        }
        assert_eq!(left(&FAILURES, Key::new("failures/shadow")).await, 0);
        // A shadow limit does not charge units beyond its count.
        assert_eq!(left(&MORE_FAILURES, Key::new("failures/shadow")).await, 3);

        assert!(settled().await.is_ok());
        assert_eq!(left(&BUCKET, Key::new("bucket/shadow")).await, 2);
        assert!(settled().await.is_ok());
        assert_eq!(left(&BUCKET, Key::new("bucket/shadow")).await, 2);
    })
    .await;
}

#[tokio::test]
async fn a_function_that_is_never_refused_may_return_anything() {
    scoped(async {
        for _ in 0..3 {
            assert_eq!(of_any_type().await + of_any_type_judged().await, 14);
            assert_eq!(opaque().await.chain(opaque_judged().await).chain(opaque_future().await).count(), 21);
        }
    })
    .await;
}

#[tokio::test]
async fn shadow_limits_neither_wait_nor_reject_errors() {
    scoped(async {
        assert!(soon(&mut Box::pin(turns())).await.is_some());
        assert!(soon(&mut Box::pin(turns())).await.is_some());
        assert!(nobody(None).await.is_ok());
    })
    .await;
}

//! `limit` with an `Option<Limit>`: without a limit, the call is exempt.

use ratelimit::testing::TestLimiter;
use ratelimit::{Limit, Rejection, rate_limit};
use support::MINUTE;

struct Plan {
    exports: Option<Limit>,
}

#[rate_limit(key = "exports", limit = plan.exports, by = user)]
async fn export(plan: &Plan, user: Option<u64>) -> Result<(), Rejection> {
    Ok(())
}

/// The units are decided after the call, and another limit of the stack applies.
#[rate_limit(key = "units", limit = plan.exports, by = user, refund_if = |_| false)]
#[rate_limit(key = "all", time = "1m", count = 3)]
async fn stacked(plan: &Plan, user: u64) -> Result<(), Rejection> {
    Ok(())
}

#[tokio::test]
async fn without_a_limit_calls_are_exempt() {
    let limiter = TestLimiter::new();
    let (free, unlimited) = (Plan { exports: Some(Limit::counter(2, MINUTE)) }, Plan { exports: None });
    limiter.assert_admitted(2, || export(&free, Some(7))).await;
    limiter.assert_refused_for(MINUTE, || export(&free, Some(7))).await;
    for user in [Some(7), None] {
        for _ in 0..5 {
            let (exported, decisions) = limiter.record(export(&unlimited, user)).await;
            assert!(exported.is_ok() && decisions.is_empty());
        }
    }
    assert!(matches!(limiter.scope(export(&free, None)).await, Err(Rejection::Unidentified(_))));
}

#[tokio::test]
async fn the_other_limits_of_a_stack_apply() {
    let limiter = TestLimiter::new();
    let unlimited = Plan { exports: None };
    limiter.assert_admitted(3, || stacked(&unlimited, 7)).await;
    limiter.assert_refused_for(MINUTE, || stacked(&unlimited, 7)).await;
}

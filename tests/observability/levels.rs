//! The gauges of waiting calls and of held permits.

use crate::recorder::recorded;
use ratelimit::observe::Kind;
use ratelimit::{Limit, RateLimiter, Rejection, rate_limit};
use support::{HOUR, SECOND, take_events};

const PERMITS: &str = "ratelimit.permits";
const PERMITS_LOST: &str = "ratelimit.permits.lost";
const WAITING: &str = "ratelimit.waiting";

#[tokio::test(start_paused = true)]
async fn permits_and_the_calls_that_wait_for_them() {
    let (recorded, limiter) = (recorded(), RateLimiter::in_memory());
    let limit = Limit::concurrency(3, HOUR).wait(HOUR);
    let [first, second] =
        [limiter.permit_cost(&limit, "gate", 2).await, limiter.permit(&limit, "gate").await];
    assert_eq!((recorded.gauge(PERMITS, "gate"), recorded.gauge(WAITING, "gate")), (3, 0));

    let third = tokio::spawn({
        let limiter = limiter.clone();
        async move { limiter.permit(&limit, "gate").await.map(drop) }
    });
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(recorded.gauge(WAITING, "gate"), 1);
    drop(first);
    third.await.unwrap().unwrap();
    assert_eq!((recorded.gauge(PERMITS, "gate"), recorded.gauge(WAITING, "gate")), (1, 0));
    assert_eq!(recorded.outcomes("gate"), "allowed 2, waited 1");

    let waits = limiter.permit_cost(&limit, "gate", 3);
    assert!(tokio::time::timeout(SECOND, waits).await.is_err());
    assert_eq!(recorded.gauge(WAITING, "gate"), 0, "the cancelled call no longer waits");
    drop(second);
    assert_eq!(recorded.gauge(PERMITS, "gate"), 0);
}

#[tokio::test]
async fn a_permit_of_an_attribute_is_held_while_the_body_runs() {
    #[rate_limit(key = "held", time = "1h", count = 5, algorithm = "concurrency")]
    async fn held() -> Result<i64, Rejection> {
        Ok(recorded().gauge(PERMITS, "held"))
    }

    let recorded = recorded();
    assert_eq!(ratelimit::scope(RateLimiter::in_memory(), held()).await.unwrap(), 1);
    assert_eq!(recorded.gauge(PERMITS, "held"), 0);
}

#[tokio::test(start_paused = true)]
async fn a_permit_that_an_attribute_has_lost_is_counted_and_logged_once() {
    #[rate_limit(key = "lost", time = "30s", count = 5, algorithm = "concurrency")]
    async fn lost(limiter: &RateLimiter) -> Result<(), Rejection> {
        limiter.reset(&Limit::concurrency(5, 30 * SECOND), "lost").await.unwrap();
        tokio::time::sleep(HOUR).await;
        Ok(())
    }

    let (recorded, limiter) = (recorded(), RateLimiter::in_memory());
    drop(take_events());
    ratelimit::scope(limiter.clone(), lost(&limiter)).await.unwrap();
    let events = take_events().into_iter().filter(|event| event.target == "ratelimit::permits");
    assert_eq!(events.count(), 1);
    assert_eq!(recorded.get(Kind::Counter, PERMITS_LOST, &[("ratelimit.limit", "lost")]).whole(), 1);
}

//! What exists now: calls that wait, permits that are held, units on lease.

use crate::recorder::recorded;
use ratelimit::observe::Kind;
use ratelimit::{Limit, MemoryStore, RateLimiter, Rejection, TokioClock, rate_limit};
use std::time::Duration;
use support::{HOUR, SECOND};

const PERMITS: &str = "ratelimit.permits";
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
    while recorded.gauge(WAITING, "gate") < 1 {
        tokio::task::yield_now().await;
    }
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

    assert_eq!(ratelimit::scope(RateLimiter::in_memory(), held()).await.unwrap(), 1);
    assert_eq!(recorded().gauge(PERMITS, "held"), 0);
}

#[tokio::test(start_paused = true)]
async fn leased_calls_count_once_and_unused_units_are_seen() {
    let recorded = recorded();
    let store = MemoryStore::with_clock(TokioClock::new());
    let limiter = RateLimiter::builder().store(store).build().await.unwrap();
    let limit = Limit::counter(1000, HOUR).lease(100);
    let unused = || recorded.get(Kind::Gauge, "ratelimit.lease.unused", &[]).whole();
    let before = unused();
    let mut most = 0;
    for _ in 0..1200 {
        let _ = limiter.check(&limit, "leased").await;
        tokio::time::sleep(Duration::from_millis(1)).await;
        most = most.max(unused() - before);
    }
    assert_eq!(recorded.outcomes("leased"), "allowed 1000, limited 200");
    assert!((1..=100).contains(&most), "{most} units were on lease");
    limiter.close().await;
    assert_eq!(unused(), before, "closing returns them");
}

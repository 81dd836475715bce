//! Extreme and changing numbers: costs of zero, adjustments far above the capacity, limits of zero, and limits below what is
//! in use.

use crate::harness::{TestAdjustment, TestRequest, Twins};
use ratelimit::overrides::LimitChange;
use ratelimit::store::{Change, Mode};
use ratelimit::{Algorithm, Limit, Refill};
use std::time::Duration;
use support::SECOND;

/// Every algorithm with every option, with a capacity that follows from `count`.
fn limits(count: u32) -> Vec<Limit> {
    let minute = SECOND * 60;
    let bucket = Limit::token_bucket(count, minute);
    let plain = [
        Limit::counter(count, minute),
        bucket,
        bucket.refill(Refill::Interval),
        bucket.burst(count / 2 + 1).borrow(count / 3),
        Limit::sliding_window(count, minute),
        Limit::sliding_log(count, minute),
        Limit::leaky_bucket(count, minute),
        Limit::concurrency(count, minute),
    ];
    let waiting = plain.map(|limit| limit.wait(SECOND * 30));
    plain.into_iter().chain(waiting).collect()
}

const MODES: [Mode; 3] = [Mode::Check, Mode::Charge, Mode::Peek];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cost_of_zero_is_admitted_and_takes_nothing() {
    let mut twins = Twins::start();
    for limit in limits(5) {
        twins.clear();
        twins.set_clock(1_000_000);
        for mode in MODES {
            let decision = twins.decide_one(mode, limit, 0).await;
            assert!(decision.is_allowed() && decision.delay().is_zero() && decision.stamp() == 0, "{limit}");
            assert_eq!(decision.remaining(), decision.capacity(), "{limit}");
            assert_eq!(decision.reset_after(), Duration::ZERO, "{limit}");
        }
        assert_eq!(twins.keys().len(), 0, "{limit} has written something for nothing");
        let all = [TestRequest::new(0, limit, limit.capacity()).with_permit(5)];
        assert!(twins.decide(Mode::Check, &all).await[0].is_allowed(), "{limit}");
        let nothing = twins.decide_one(Mode::Peek, limit, 0).await;
        assert_eq!(twins.decide_one(Mode::Check, limit, 0).await, nothing, "{limit}");
    }
}

fn limit_is_a_queue(limit: &Limit) -> bool {
    limit.algorithm() == Algorithm::LeakyBucket && !limit.longest_wait().is_zero()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn excessive_adjustments_are_cut_to_the_existing_units() {
    let mut twins = Twins::start();
    for limit in limits(5) {
        twins.clear();
        twins.set_clock(1_000_000);
        let one = [TestRequest::new(0, limit, 1).with_permit(5)];
        let stamp = twins.decide(Mode::Charge, &one).await[0].stamp();
        let adjustment = |change| [TestAdjustment { key: 0, limit, units: u32::MAX, change }];
        if limit.algorithm() == Algorithm::Concurrency {
            assert_eq!(twins.adjust(&adjustment(Change::Renew(stamp))).await, [1], "{limit}");
        }
        assert_eq!(twins.adjust(&adjustment(Change::Give(stamp))).await, [1], "{limit}");
        assert_eq!(twins.adjust(&adjustment(Change::Give(stamp))).await, [0], "{limit}");
        for stamp in [0, 1, (1 << 53) - 2] {
            assert_eq!(twins.adjust(&adjustment(Change::Give(stamp))).await, [0], "{limit}");
        }
        assert_eq!(twins.decide_one(Mode::Peek, limit, 1).await.remaining(), limit.capacity(), "{limit}");
        if limit.algorithm() != Algorithm::Concurrency {
            assert_eq!(twins.adjust(&adjustment(Change::Take)).await, [2 * limit.capacity()], "{limit}");
            assert_eq!(twins.decide_one(Mode::Peek, limit, 1).await.remaining(), 0, "{limit}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_of_zero_refuses_everything() {
    let mut twins = Twins::start();
    twins.set_clock(1_000_000);
    let burst = Limit::token_bucket(5, SECOND).try_burst(0).unwrap();
    let zero = LimitChange::new().count(0);
    let closed = limits(5).into_iter().map(|limit| zero.apply(&limit).unwrap());
    for limit in closed.chain([burst, burst.wait(SECOND)]) {
        for mode in MODES {
            for cost in [0, 1, u32::MAX] {
                let decision = twins.decide_one(mode, limit, cost).await;
                assert_eq!((decision.is_allowed(), decision.retry_after()), (false, None), "{limit}");
                assert_eq!((decision.remaining(), decision.reset_after()), (0, Duration::ZERO), "{limit}");
            }
        }
        let change =
            if limit.algorithm() == Algorithm::Concurrency { Change::Renew(1) } else { Change::Take };
        for change in [change, Change::Give(1)] {
            assert_eq!(twins.adjust_one(limit, 1, change).await, 0, "{limit}");
        }
        assert_eq!(twins.keys().len(), 0, "{limit}");
    }
}

/// Units in use stay in use. The new count applies to all later calls.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_lowered_below_what_is_in_use_refuses_until_there_is_room() {
    let mut twins = Twins::start();
    for (high, low) in limits(10).into_iter().zip(limits(3)).filter(|(limit, _)| !limit_is_a_queue(limit)) {
        twins.clear();
        twins.set_clock(1_000_000);
        assert!(
            twins.decide(Mode::Check, &[TestRequest::new(0, high, 8).with_permit(5)]).await[0].is_allowed(),
            "{high}"
        );
        let refused = twins.decide_one(Mode::Check, low, 1).await;
        assert_eq!((refused.is_allowed(), refused.remaining()), (false, 0), "{low}");
        assert_eq!(twins.decide_one(Mode::Check, low, low.capacity() + 1).await.retry_after(), None, "{low}");
        let left = twins.decide_one(Mode::Peek, high, 1).await.remaining();
        assert_eq!(left, high.capacity() - 8, "{high}: a refusal has changed something");
        let wait = u64::try_from(refused.retry_after().unwrap().as_micros()).unwrap();
        twins.set_clock(1_000_000 + 1000);
        assert!(!twins.decide_one(Mode::Check, low, 1).await.is_allowed(), "{low}");
        twins.set_clock(1_000_000 + wait);
        assert!(twins.decide_one(Mode::Check, low, 1).await.is_allowed(), "{low} after {wait} µs");
    }
}

/// The largest numbers that each algorithm permits are exact to the last unit.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_largest_limits_are_counted_to_the_unit() {
    let mut twins = Twins::start();
    let most = (1 << 25) - 1;
    for limit in [
        Limit::counter(u32::MAX, SECOND),
        Limit::token_bucket(most, SECOND * 60).burst(most),
        Limit::token_bucket(most, SECOND * 60).refill(Refill::Interval),
        Limit::sliding_window(most, SECOND * 60),
        Limit::sliding_log(10_000, SECOND * 86_400 * 366),
        Limit::leaky_bucket(most, SECOND * 60),
        Limit::leaky_bucket(most, SECOND * 60).wait(SECOND * 59),
        Limit::concurrency(10_000, SECOND * 86_400 * 366),
    ] {
        twins.clear();
        twins.set_clock(1_700_000_000_000_000);
        let request = |cost, permit| [TestRequest::new(0, limit, cost).with_permit(permit)];
        let all_but_one = twins.decide(Mode::Charge, &request(limit.capacity() - 1, 5)).await[0];
        assert_eq!((all_but_one.is_allowed(), all_but_one.remaining()), (true, 1), "{limit}");
        let last = twins.decide(Mode::Charge, &request(1, 6)).await[0];
        assert!(last.is_allowed() && last.remaining() == 0, "{limit}");
        assert!(!twins.decide(Mode::Check, &request(1, 7)).await[0].is_allowed(), "{limit}");
        assert_eq!(twins.adjust_one(limit, 1, Change::Give(last.stamp())).await, 1, "{limit}");
        if limit.algorithm() != Algorithm::Concurrency {
            let debt = u64::from(limit.capacity()) + 1;
            let debt = u32::try_from(debt).unwrap_or(u32::MAX);
            assert_eq!(twins.adjust_one(limit, u32::MAX, Change::Take).await, debt, "{limit}");
        }
    }
}

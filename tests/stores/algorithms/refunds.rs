//! Refunds and unconditional charges: which units a refund frees, and which it must not free.

use crate::harness::{TestAdjustment, TestRequest, Twins};
use ratelimit::store::{Change, Mode, Store, StoreKey};
use ratelimit::{Decision, ErrorKind, Limit, Refill};
use std::time::Duration;
use support::SECOND;

/// One limit in both stores, which must agree, under a clock in ms.
struct Both {
    twins: Twins,
    limit: Limit,
}

impl Both {
    fn of(limit: Limit) -> Self {
        let mut both = Self { twins: Twins::start(), limit };
        both.at(0);
        both
    }

    fn at(&mut self, ms: u64) {
        self.twins.set_clock(1_000_000_000 + ms * 1000);
    }

    async fn charge(&self, cost: u32) -> Decision {
        let decision = self.twins.decide_one(Mode::Charge, self.limit, cost).await;
        assert!(decision.is_allowed(), "{cost} of {}", self.limit);
        decision
    }

    async fn give(&self, units: u32, charge: Decision) -> u32 {
        self.twins.adjust_one(self.limit, units, Change::Give(charge.stamp())).await
    }

    async fn left(&self) -> u32 {
        self.twins.decide_one(Mode::Peek, self.limit, 1).await.remaining()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_window_accepts_refunds_of_its_own_units() {
    let mut both = Both::of(Limit::counter(5, SECOND * 10));
    let first = both.charge(3).await;
    let _ = both.charge(1).await;
    assert_eq!((both.give(2, first).await, both.left().await), (2, 3));
    both.at(10_000);
    assert_eq!(both.give(1, first).await, 0, "its window is over");
    let _ = both.charge(4).await;
    assert_eq!((both.give(1, first).await, both.left().await), (0, 1), "another window is no business of it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leaked_units_of_a_charge_are_not_refunded() {
    for limit in [Limit::token_bucket(10, SECOND * 10), Limit::leaky_bucket(10, SECOND * 10)] {
        let mut both = Both::of(limit);
        let first = both.charge(4).await;
        both.at(1000);
        let second = both.charge(4).await;
        both.at(2000);
        // Six units are in use: two of the first charge, and four of the second.
        assert_eq!((both.give(4, first).await, both.left().await), (2, 6));
        assert_eq!((both.give(4, second).await, both.left().await), (4, 10));
        assert_eq!(both.give(4, second).await, 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_last_waiting_call_can_return_its_turn() {
    let bucket = Limit::token_bucket(1, SECOND).burst(5).wait(SECOND * 60);
    let by_interval = Limit::token_bucket(1, SECOND).burst(5).refill(Refill::Interval).wait(SECOND * 60);
    let queue = Limit::leaky_bucket(1, SECOND).wait(SECOND * 60);
    for limit in [bucket, by_interval, queue] {
        let both = Both::of(limit);
        let served = both.charge(5).await;
        let waiting = both.charge(3).await;
        let last = both.charge(1).await;
        assert!(Duration::ZERO < waiting.delay() && waiting.delay() < last.delay(), "{limit}");
        for charge in [served, waiting] {
            assert_eq!(both.give(3, charge).await, 0, "{limit}");
        }
        assert_eq!(both.give(1, last).await, 1, "{limit}");
        assert_eq!(both.give(3, waiting).await, 3, "{limit}");
        let again = both.charge(3).await;
        assert_eq!(again.delay(), waiting.delay(), "{limit}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refund_covers_the_steps_that_have_not_ended() {
    let mut both = Both::of(Limit::token_bucket(4, SECOND).burst(10).refill(Refill::Interval));
    let charge = both.charge(10).await;
    assert_eq!((both.give(3, charge).await, both.left().await), (3, 3));
    both.at(1000);
    let _ = both.charge(5).await;
    // Three steps bring back the first charge. Two of them have not ended yet.
    assert_eq!((both.give(10, charge).await, both.left().await), (8, 10));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_cells_of_a_window_accept_refunds() {
    let mut both = Both::of(Limit::sliding_window(10, SECOND * 10));
    let first = both.charge(6).await;
    assert_eq!(both.give(1, first).await, 1);
    both.at(12_000);
    // 80 % of the 5 units of the earlier cell count.
    let second = both.charge(4).await;
    assert_eq!(both.left().await, 2);
    assert_eq!((both.give(5, first).await, both.left().await), (5, 6));
    both.at(20_000);
    let _ = both.charge(1).await;
    assert_eq!(both.give(6, first).await, 0, "two cells ago");
    assert_eq!((both.give(4, second).await, both.left().await), (4, 9));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_removes_exactly_the_refunded_units() {
    let mut both = Both::of(Limit::sliding_log(5, SECOND * 10));
    let first = both.charge(2).await;
    both.at(1);
    let second = both.charge(2).await;
    both.at(2);
    assert_eq!((both.give(9, first).await, both.left().await), (2, 3));
    assert_eq!((both.give(1, second).await, both.left().await), (1, 4));
    let _ = both.charge(4).await;
    both.at(10_001);
    assert_eq!(both.left().await, 1, "the second unit of the second charge has its own time");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_returned_permit_belongs_to_the_next_waiting_call() {
    let limit = Limit::concurrency(3, SECOND * 30).wait(SECOND * 10);
    let both = Both::of(limit);
    let request = |id: u64, cost| [TestRequest::new(0, limit, cost).with_permit(id)];
    let give = |id, units| [TestAdjustment { key: 0, limit, units, change: Change::Give(id) }];
    let twins = &both.twins;
    assert!(twins.decide(Mode::Charge, &request(11, 2)).await[0].is_allowed());
    assert!(twins.decide(Mode::Charge, &request(12, 1)).await[0].is_allowed());
    assert!(!twins.decide(Mode::Charge, &request(13, 3)).await[0].is_allowed());
    assert_eq!(twins.adjust(&give(11, 2)).await, [2]);
    assert_eq!(twins.adjust(&give(11, 2)).await, [0], "once");
    // The call that waits for three permits keeps its place before calls that need only one.
    assert!(!twins.decide(Mode::Check, &request(14, 1)).await[0].is_allowed());
    twins.adjust(&give(13, 3)).await;
    assert!(twins.decide(Mode::Check, &request(14, 1)).await[0].is_allowed(), "the waiting call has left");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lease_can_be_renewed_until_it_ends() {
    let limit = Limit::concurrency(1, SECOND * 10);
    let mut both = Both::of(limit);
    let request = [TestRequest::new(0, limit, 1).with_permit(11)];
    let renew = [TestAdjustment { key: 0, limit, units: 1, change: Change::Renew(11) }];
    assert!(both.twins.decide(Mode::Charge, &request).await[0].is_allowed());
    both.at(9999);
    assert_eq!(both.twins.adjust(&renew).await, [1]);
    both.at(19_998);
    assert_eq!(both.left().await, 0);
    both.at(19_999);
    assert_eq!((both.left().await, both.twins.adjust(&renew).await), (1, vec![0]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_permit_cannot_be_taken_unconditionally() {
    let both = Both::of(Limit::concurrency(5, SECOND));
    let stores: [&dyn Store; 2] = [&both.twins.memory, &both.twins.redis];
    for store in stores {
        for (limit, change) in [(both.limit, Change::Take), (Limit::counter(5, SECOND), Change::Renew(11))] {
            let adjustment = ratelimit::store::Adjustment::new(StoreKey::new(b"key"), limit, 1, change);
            let error = store.adjust(&[adjustment]).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Configuration);
        }
    }
}

/// A charge under a slow limit takes long to leak. Meanwhile the key's lifetime follows a fast limit.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refund_under_another_limit_frees_no_more_than_was_charged() {
    let slow = Limit::token_bucket(1, SECOND * 60).burst(10);
    let fast = Limit::token_bucket(10, SECOND * 10).burst(20);
    let mut both = Both::of(slow);
    let charge = both.charge(10).await;
    assert_eq!(both.twins.decide_one(Mode::Check, fast, 9).await.remaining(), 1);
    both.at(1000);
    let given = both.give(10, charge).await;
    let left = both.twins.decide_one(Mode::Peek, fast, 1).await.remaining();
    assert!(left <= 2 + given, "{given} were given back, and {left} are left");
}

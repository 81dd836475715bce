//! What only the memory store promises: no heap on the hot path, bounded memory, one order among threads.

use crate::setup::SECOND;
use ratelimit::{Key, Limit, ManualClock, MemoryStore, RateLimiter, Refill, Rejection, rate_limit};
use std::future::Future;
use std::net::IpAddr;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// The memory store answers at the first poll, so that nothing else is measured.
fn now<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the memory store has waited"),
    }
}

#[rate_limit(key = "heap:global", count = 50)]
async fn global() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "heap:{kind}", count = 50, by = "ip", algorithm = "token_bucket", burst = burst)]
async fn keyed(peer: IpAddr, kind: &str, burst: u32) -> Result<(), Rejection> {
    let _ = (peer, kind, burst);
    Ok(())
}

#[test]
fn a_decision_needs_no_heap() {
    let peer = IpAddr::from([203, 0, 113, 7]);
    let calls = || {
        for _ in 0..100 {
            let _ = now(global());
            let _ = now(keyed(peer, "a kind that is a bit longer", 20));
        }
    };
    calls(); // the first one makes the limiter and its entries
    let heap = allocation_counter::measure(calls);
    assert_eq!(heap.count_total, 0, "{heap:?}");
}

#[test]
fn algorithms_that_keep_a_number_need_no_heap() {
    let limiter = RateLimiter::in_memory();
    let limits = [
        Limit::counter(50, SECOND),
        Limit::token_bucket(50, SECOND),
        Limit::token_bucket(50, SECOND).refill(Refill::Interval),
        Limit::sliding_window(50, SECOND),
        Limit::leaky_bucket(50, SECOND),
    ];
    let calls = || {
        for limit in &limits {
            for _ in 0..100 {
                let _ = now(limiter.check(limit, Key::new("heap").by(7)));
            }
        }
    };
    calls(); // the first ones make their entries
    let heap = allocation_counter::measure(calls);
    assert_eq!(heap.count_total, 0, "{heap:?}");
}

#[test]
fn what_logs_hold_counts_against_the_bound() {
    let clock = ManualClock::new();
    let store = MemoryStore::with_clock(clock.clone()).with_max_keys(10_000);
    let limiter = now(RateLimiter::builder().store(store).build()).unwrap();
    let log = Limit::sliding_log(100, SECOND);
    let heap = allocation_counter::measure(|| {
        for key in 0..20_000 {
            now(limiter.check_cost(&log, Key::new("logs").by(key), 100)).unwrap();
        }
    });
    // Without the bound, 20 000 logs of 100 moments would take 16 MB.
    assert!(heap.bytes_current < 4_000_000, "{heap:?}");
}

#[test]
fn memory_stays_bounded_under_ever_new_keys() {
    let clock = ManualClock::new();
    let store = MemoryStore::with_clock(clock.clone()).with_max_keys(10_000);
    let limiter = now(RateLimiter::builder().store(store).build()).unwrap();
    let limit = Limit::counter(5, SECOND);
    let fresh = |from: u32| {
        let heap = allocation_counter::measure(|| {
            for key in from..from + 50_000 {
                now(limiter.check(&limit, Key::new("fresh").by(key))).unwrap();
            }
        });
        clock.advance(SECOND);
        heap.bytes_current
    };
    let grown: Vec<i64> = (0..6).map(|round| fresh(round * 50_000)).collect();
    assert!(grown[0] > 0 && grown[0] < 2_000_000, "{grown:?}");
    assert!(grown[2..].iter().sum::<i64>() <= grown[0], "{grown:?}");
}

#[test]
fn threads_share_a_limit_exactly() {
    let limiter = RateLimiter::in_memory();
    let hour = SECOND * 3600;
    for limit in [
        Limit::counter(10_000, hour),
        Limit::token_bucket(10_000, hour).refill(Refill::Interval),
        Limit::sliding_window(10_000, hour),
        Limit::sliding_log(10_000, hour),
    ] {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                let limiter = limiter.clone();
                std::thread::spawn(move || {
                    (0..2000).filter(|_| now(limiter.check(&limit, "shared")).unwrap().allowed()).count()
                })
            })
            .collect();
        let passed: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        assert_eq!(passed, 10_000, "{limit}");
    }
}

//! Tests of the memory store alone: no heap allocation per decision, bounded memory, and exact counts with several threads.

use crate::harness::{each, now_or_panic as now, rounds};
use ratelimit::clock::{Clock, ManualClock};
use ratelimit::store::{Mode, Request, Store, StoreKey};
use ratelimit::{Key, Limit, MemoryStore, RateLimiter, Refill, Rejection, rate_limit};
use std::net::SocketAddr;
use std::ops::Range;
use std::time::Duration;
use support::SECOND;

#[rate_limit(key = "heap:global", count = 50)]
async fn global() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "heap:{kind}", count = 50, by = "ip", algorithm = "token_bucket", burst = burst)]
async fn keyed(peer: SocketAddr, kind: &str, burst: u32) -> Result<(), Rejection> {
    let _ = (peer, kind, burst);
    Ok(())
}

#[test]
fn a_limited_call_needs_no_heap() {
    let peer = SocketAddr::from(([203, 0, 113, 7], 4000));
    let calls = || {
        for _ in 0..100 {
            let _ = now(global());
            let _ = now(keyed(peer, "a kind that is a bit longer", 20));
        }
    };
    calls(); // the first call creates the limiter and its entries
    let heap = allocation_counter::measure(calls);
    assert_eq!(heap.count_total, 0, "{heap:?}");
}

#[test]
fn algorithms_with_one_number_need_no_heap() {
    let limiter = RateLimiter::in_memory();
    let mut limits = each(50, SECOND);
    limits.retain(|limit| !limit.is_list());
    let calls = || {
        for limit in &limits {
            for _ in 0..100 {
                let _ = now(limiter.check(limit, Key::new("heap").by(7)));
            }
        }
    };
    calls(); // the first calls create their entries
    let heap = allocation_counter::measure(calls);
    assert_eq!(heap.count_total, 0, "{heap:?}");
}

#[test]
fn entries_of_logs_count_against_the_bound() {
    let clock = ManualClock::new();
    let store = MemoryStore::with_clock(clock.clone()).with_max_keys(10_000);
    let limiter = RateLimiter::builder().store(store).build().unwrap();
    let log = Limit::sliding_log(100, SECOND);
    let heap = allocation_counter::measure(|| {
        for key in 0..20_000 {
            now(limiter.check_cost(&log, Key::new("logs").by(key), 100)).unwrap();
        }
    });
    // Without the bound, 20 000 logs of 100 timestamps would take 16 MB.
    assert!(heap.bytes_current < 4_000_000, "{heap:?}");
}

/// An entry can be removed this long after its end.
const GRAIN: Duration = Duration::from_millis(1);

/// The number of keys: ten million in the soak, one million otherwise.
fn many_keys() -> u32 {
    rounds(1_000_000, 10_000_000)
}

/// Makes a request for each key of a range. Returns the number of admitted requests.
fn passed(store: &MemoryStore<impl Clock>, mode: Mode, limit: &Limit, keys: Range<u32>) -> u32 {
    let passes = |key: &u32| {
        let key = key.to_be_bytes();
        let decisions = now(store.decide(mode, &[&Request::new(StoreKey::new(&key), *limit, 1)])).unwrap();
        decisions[0].is_allowed()
    };
    u32::try_from(keys.filter(passes).count()).unwrap()
}

#[test]
fn with_room_for_all_every_decision_is_right() {
    let keys = rounds(200_000, 10_000_000);
    let store = MemoryStore::with_clock(ManualClock::new()).with_max_keys(keys as usize);
    let once = Limit::counter(1, SECOND);
    assert_eq!(passed(&store, Mode::Check, &once, 0..keys), keys);
    assert_eq!(passed(&store, Mode::Check, &once, 0..keys), 0);
    assert_eq!(passed(&store, Mode::Peek, &once, keys..2 * keys), keys, "no other key has lost units");
    assert_eq!((store.keys(), store.evictions()), (keys as usize, 0));
}

/// The number of new keys in a flood, several times the capacity of the store.
const FLOOD: u32 = 40_000;

/// A flood of new keys of one limit evicts no key of another limit, even if each new key is used up by its first call.
#[test]
fn a_flood_of_one_limit_frees_no_caller_of_another() {
    let login = Limit::counter(5, SECOND * 600);
    let flood = |limit: Limit| {
        let store = MemoryStore::with_clock(ManualClock::new()).with_max_keys(10_000);
        for _ in 0..5 {
            assert_eq!(passed(&store, Mode::Check, &login, 0..1000), 1000);
        }
        assert_eq!(passed(&store, Mode::Check, &limit, 1_000_000..1_000_000 + FLOOD), FLOOD);
        assert!(store.evictions() > u64::from(FLOOD / 2));
        assert_eq!(passed(&store, Mode::Check, &login, 0..1000), 0, "{limit}");
    };
    let day = SECOND * 86_400;
    for count in [1, 10] {
        flood(Limit::counter(count, day));
        flood(Limit::token_bucket(count, day));
        flood(Limit::leaky_bucket(count, day));
        flood(Limit::sliding_window(count, day));
    }
}

/// If all keys have the same limit, a flood of new keys evicts no key that is used up.
#[test]
fn of_one_limit_keys_that_are_used_up_stay() {
    for limit in [
        Limit::counter(5, SECOND * 600),
        Limit::token_bucket(5, SECOND * 600),
        Limit::sliding_log(5, SECOND * 600),
    ] {
        let store = MemoryStore::with_clock(ManualClock::new()).with_max_keys(10_000);
        for _ in 0..5 {
            passed(&store, Mode::Check, &limit, 0..1000);
        }
        passed(&store, Mode::Check, &limit, 1_000_000..1_000_000 + FLOOD);
        assert!(store.evictions() > u64::from(FLOOD / 2));
        assert_eq!(passed(&store, Mode::Check, &limit, 0..1000), 0, "{limit}");
    }
}

#[test]
fn a_full_store_evicts_expired_entries_and_then_those_that_expire_next() {
    let keys = many_keys();
    let room = keys / 5; // two million in the soak, which are 64 MB
    let clock = ManualClock::new();
    let store = MemoryStore::with_clock(clock.clone()).with_max_keys(room as usize);
    let [short, long] = [1, 3600].map(|seconds| Limit::counter(1, SECOND * seconds));
    let heap = allocation_counter::measure(|| {
        passed(&store, Mode::Check, &short, 0..room / 2);
        clock.advance(SECOND + GRAIN);
        passed(&store, Mode::Check, &long, room..room + room / 2);
        clock.advance(SECOND);
        passed(&store, Mode::Check, &long, 2 * room..2 * room + room / 2);
        assert_eq!(store.evictions(), 0, "the expired have made room");

        passed(&store, Mode::Check, &long, 3 * room..3 * room + room / 4);
        let lost = passed(&store, Mode::Peek, &long, room..room + room / 2);
        assert_eq!(u64::from(lost), store.evictions(), "those that would expire first");
        assert!(lost > 0);
        assert_eq!(passed(&store, Mode::Peek, &long, 2 * room..2 * room + room / 2), 0);

        passed(&store, Mode::Check, &long, 4 * room..4 * room + keys);
        assert_eq!(store.keys() as u64 + store.evictions(), u64::from(room + room / 4 + keys));
    });
    assert!(heap.bytes_max < 32 * u64::from(room), "{heap:?}");
    let (counted, told) = (heap.bytes_current, i64::try_from(store.bytes()).unwrap());
    assert!((told - counted).abs() < told / 100, "counted {counted}, told {told}");
}

#[test]
fn new_keys_reuse_the_space_of_expired_ones() {
    let clock = ManualClock::new();
    let store = MemoryStore::with_clock(clock.clone());
    let limit = Limit::counter(5, SECOND);
    let bytes: Vec<usize> = (0..5)
        .map(|round| {
            passed(&store, Mode::Check, &limit, round * 200_000..(round + 1) * 200_000);
            clock.advance(SECOND + GRAIN);
            store.bytes()
        })
        .collect();
    assert!(bytes.iter().all(|later| *later <= bytes[0] / 4 * 5), "{bytes:?}");
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
                    (0..2000).filter(|_| now(limiter.check(&limit, "shared")).is_ok()).count()
                })
            })
            .collect();
        let passed: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        assert_eq!(passed, 10_000, "{limit}");
    }
}

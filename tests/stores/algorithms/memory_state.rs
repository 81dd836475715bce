//! The memory store's state of a limit: its size in bytes, its end, and the order of eviction.

use crate::harness::now_or_panic as now;
use ratelimit::clock::ManualClock;
use ratelimit::store::{Adjustment, Change, Mode, Request, Store, StoreKey};
use ratelimit::{Algorithm, Limit, MemoryStore};
use std::time::Duration;
use support::{MINUTE, SECOND};

#[test]
fn the_reported_bytes_are_those_on_the_heap() {
    let store = MemoryStore::with_clock(ManualClock::new()).with_max_keys(100_000);
    let limits = [
        Limit::counter(2, MINUTE),
        Limit::counter(2, MINUTE).block(&[MINUTE]),
        Limit::sliding_log(3, MINUTE),
        Limit::concurrency(2, MINUTE),
        Limit::concurrency(2, MINUTE).wait(MINUTE),
    ];
    let key = |limit: &Limit, key: u32| StoreKey::new(format!("{key}:{limit}").as_bytes());
    let empty = store.bytes();
    let told = || i64::try_from(store.bytes() - empty).unwrap();
    let mut counted = 0;
    for limit in &limits {
        // Makes four calls, although at most three units are available. The calls that do not fit are refused, begin a block,
        // or wait.
        counted += allocation_counter::measure(|| {
            for (number, call) in (0..1000).flat_map(|number| (1..=4).map(move |call| (number, call))) {
                let request = Request::new(key(limit, number), *limit, 1).with_permit(call);
                drop(now(store.decide(Mode::Charge, &[&request])));
            }
        })
        .bytes_current;
        assert_eq!(told(), counted, "{limit}");
    }
    assert_eq!(store.keys(), 1000 * limits.len());
    let full = counted;
    counted += allocation_counter::measure(|| {
        for limit in &limits {
            let keys: Vec<StoreKey> = (0..1000).map(|number| key(limit, number)).collect();
            assert_eq!(now(store.reset(&keys)).unwrap(), 1000);
        }
    })
    .bytes_current;
    assert!(counted < full && told() == counted, "{counted} of {full}, told {}", told());
}

/// A store with one key, and its clock.
struct One(MemoryStore<ManualClock>, ManualClock);

impl One {
    fn new() -> Self {
        let clock = ManualClock::new();
        Self(MemoryStore::with_clock(clock.clone()), clock)
    }

    fn key() -> StoreKey {
        StoreKey::new(b"k")
    }

    /// Requests a unit with this permit. Returns the stamp, or 0 if the request is refused.
    fn ask(&self, limit: Limit, permit: u64) -> u64 {
        let request = Request::new(Self::key(), limit, 1).with_permit(permit);
        now(self.0.decide(Mode::Charge, &[&request])).unwrap()[0].stamp()
    }

    fn adjust(&self, limit: Limit, units: u32, change: Change) -> u32 {
        now(self.0.adjust(&[Adjustment::new(Self::key(), limit, units, change)])).unwrap()[0]
    }

    fn at(&self, ms: u64) -> &Self {
        self.1.set(Duration::from_millis(ms));
        self
    }
}

/// As in Redis, a state exists until its end, including the millisecond of its end.
#[test]
fn a_state_is_stored_until_its_end() {
    type Prepare = fn(&One);
    const LOG: Limit = Limit::sliding_log(2, MINUTE);
    const COUNTER: Limit = Limit::counter(2, MINUTE);
    const PERMITS: Limit = Limit::concurrency(1, MINUTE);
    const WAITING: Limit = PERMITS.wait(MINUTE.saturating_mul(5));
    const BLOCKS: Limit = Limit::counter(1, MINUTE).block(&[MINUTE, MINUTE.saturating_mul(2)]);
    let cases: [(&str, u64, Prepare); 14] = [
        ("a counter", 60_000, |one| {
            one.ask(COUNTER, 0);
        }),
        ("a sliding window", 120_000, |one| {
            one.ask(Limit::sliding_window(2, MINUTE), 0);
        }),
        ("a bucket", 2048, |one| {
            one.ask(Limit::token_bucket(10, SECOND), 0);
        }),
        ("a log", 61_000, |one| {
            one.ask(LOG, 0);
        }),
        ("a penalty of a log", 71_000, |one| {
            one.at(10_000).adjust(LOG, 1, Change::Take);
        }),
        ("a permit", 71_000, |one| {
            one.at(10_000).ask(PERMITS, 1);
        }),
        ("a permit for which calls may wait", 301_000, |one| {
            one.ask(WAITING, 1);
        }),
        ("a call that waits", 311_000, |one| {
            one.ask(WAITING, 1);
            one.at(10_000).ask(WAITING, 2);
        }),
        ("a renewed permit", 91_000, |one| {
            one.ask(PERMITS, 1);
            one.at(30_000).adjust(PERMITS, 1, Change::Renew(1));
        }),
        ("a renewal of another permit", 61_000, |one| {
            one.ask(PERMITS, 1);
            one.at(30_000).adjust(PERMITS, 1, Change::Renew(2));
        }),
        ("a block by refusals, with its level", 180_000, |one| {
            one.ask(BLOCKS, 0);
            one.ask(BLOCKS, 0);
        }),
        ("a block", 75_000, |one| {
            one.at(70_000).adjust(COUNTER, 1, Change::Block(5000));
        }),
        ("a block of a bucket that lasts past its own end, and now leaks faster", 2000, |one| {
            let [limit, faster] = [3, 4].map(|count| Limit::token_bucket(count, SECOND));
            one.adjust(limit, 3, Change::Take);
            one.at(999).adjust(limit, 5, Change::Take);
            one.at(1000).adjust(faster, 1, Change::Block(1));
        }),
        ("a pause", 75_000, |one| {
            one.at(70_000).adjust(COUNTER, 1, Change::Pause(5000));
        }),
    ];
    for (name, end, prepare) in cases {
        for (time, is_stored) in [(end, 1), (end + 1, 0)] {
            let one = One::new();
            prepare(&one);
            assert_eq!(now(one.at(time).0.reset(&[One::key()])).unwrap(), is_stored, "{name} at {time}");
        }
    }
}

#[test]
fn a_state_without_units_is_removed() {
    let minute =
        [Limit::token_bucket(2, MINUTE), Limit::sliding_log(2, MINUTE), Limit::concurrency(2, MINUTE)];
    for limit in minute {
        let one = One::new();
        let stamp = one.at(1000).ask(limit, 1);
        assert_eq!((one.adjust(limit, 1, Change::Give(stamp)), one.0.keys()), (1, 0), "{limit}");
    }
    // The first permit ends in this millisecond, and the second permit takes its place.
    let (one, limit) = (One::new(), Limit::concurrency(1, MINUTE));
    let first = one.ask(limit, 1);
    assert_eq!((first, one.at(60_000).ask(limit, 2)), (1, 2));
    assert_eq!(one.adjust(limit, 1, Change::Give(first)), 0);
    assert_eq!(one.adjust(limit, 3, Change::Give(2)), 1, "no more units than are held");
}

#[test]
fn a_limit_that_refuses_every_call_stores_nothing() {
    for (limit, changes) in [
        (Limit::try_counter(0, MINUTE), [Change::Take, Change::Give(1), Change::Pause(1000)]),
        (Limit::try_sliding_log(0, MINUTE), [Change::Take, Change::Give(1), Change::Give(2)]),
        (Limit::try_concurrency(0, MINUTE), [Change::Renew(1), Change::Give(1), Change::Give(2)]),
    ] {
        let (one, limit) = (One::new(), limit.unwrap());
        let changed = changes.map(|change| one.adjust(limit, 1, change));
        assert_eq!((changed, one.0.bytes()), ([0; 3], One::new().0.bytes()), "{limit}");
    }
}

#[test]
fn blocks_are_evicted_and_counted_too() {
    let store = MemoryStore::with_clock(ManualClock::new()).with_max_keys(4);
    let limit = Limit::counter(2, MINUTE);
    let block = |key: u8| Adjustment::new(StoreKey::new(&[key]), limit, 1, Change::Block(1000));
    assert_eq!(now(store.adjust(&[block(1), block(2), block(3)])).unwrap().len(), 3);
    assert_eq!(store.evictions(), 2, "there is room for a quarter as many blocks as keys");
}

/// The store evicts the second key because it has a free unit, although its permit ends later than the permits of the first
/// key.
#[test]
fn of_two_keys_with_permits_the_one_with_more_free_units_is_evicted() {
    let clock = ManualClock::new();
    // The store holds at most `max_keys / 4` states that are lists, such as permits.
    let store = MemoryStore::with_clock(clock.clone()).with_max_keys(8);
    let key = |key: u8| StoreKey::new(&[key]);
    for (number, cost) in [(1, 2), (2, 1), (3, 1)] {
        let request = Request::new(key(number), Limit::concurrency(2, MINUTE), cost).with_permit(1);
        assert!(now(store.decide(Mode::Charge, &[&request])).unwrap()[0].is_allowed());
        clock.advance(SECOND);
    }
    let left = [1, 2].map(|number| now(store.reset(&[key(number)])).unwrap());
    assert_eq!((store.evictions(), left), (1, [1, 0]));
}

/// Of two keys, the store evicts the key with more free units. It takes into account the units that adjustments have returned
/// or taken.
#[test]
fn a_key_whose_units_were_given_back_is_evicted_first() {
    for limit in [
        Limit::counter(2, MINUTE),
        Limit::sliding_window(2, MINUTE),
        Limit::token_bucket(2, MINUTE),
        Limit::sliding_log(2, MINUTE),
    ] {
        // The store holds at most `max_keys / 4` states that are lists, such as logs.
        let max_keys = if limit.algorithm() == Algorithm::SlidingLog { 8 } else { 2 };
        let store = MemoryStore::with_clock(ManualClock::new()).with_max_keys(max_keys);
        let key = |key: u8| StoreKey::new(&[key]);
        let ask = |number: u8, cost| {
            let request = Request::new(key(number), limit, cost).with_permit(1);
            now(store.decide(Mode::Charge, &[&request])).unwrap()[0].stamp()
        };
        let stamp = ask(1, 2);
        ask(2, 1);
        // Afterwards, one unit of the first key is in use, and both units of the second key.
        assert_eq!(
            now(store.adjust(&[Adjustment::new(key(1), limit, 1, Change::Give(stamp))])).unwrap()[0],
            1
        );
        assert_eq!(now(store.adjust(&[Adjustment::new(key(2), limit, 1, Change::Take)])).unwrap()[0], 1);
        ask(3, 1);
        let left = [1, 2].map(|number| now(store.reset(&[key(number)])).unwrap());
        assert_eq!((store.evictions(), left), (1, [0, 1]), "{limit}");
    }
}

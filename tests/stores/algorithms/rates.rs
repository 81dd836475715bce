//! Long runs: every rate admits exactly its units, without drift or rounding losses.

use crate::harness::{TestRequest, Twins, decide, rounds};
use ratelimit::clock::ManualClock;
use ratelimit::store::{Mode, Store};
use ratelimit::{Limit, MemoryStore};
use std::time::Duration;

const START: u64 = 1_000_000_000;

/// Rates whose tokens do not return at whole microseconds, and two extreme rates: count, time in ms, burst.
const RATES: [(u32, u64, u32); 7] = [
    (3, 1000, 3),
    (7, 60_000, 7),
    (300, 1000, 20),
    (999_983, 1000, 60_000),
    (1_000_000, 1000, 1_000_000),
    (1, 86_400_000, 1),
    (2, 366 * 86_400_000, 2),
];

/// Takes all available units at random times, always before the bucket is full again. Returns the number of admitted units, and
/// the time in µs after the last pause.
async fn drained(
    store: &dyn Store,
    set_clock: &mut impl FnMut(u64),
    request: TestRequest,
    moments: u32,
) -> (u64, u64) {
    let mut random = fastrand::Rng::with_seed(3);
    let (mut passed, mut now) = (0, START);
    for _ in 0..moments {
        set_clock(now);
        let cost = decide(store, Mode::Peek, &[request]).await.unwrap()[0].remaining();
        let taken = TestRequest { cost, ..request };
        let decision = decide(store, Mode::Check, &[taken]).await.unwrap()[0];
        assert!(decision.is_allowed());
        passed += u64::from(cost);
        // The next call comes before the bucket is full again.
        now += random.u64(0..=u64::try_from(decision.reset_after().as_micros()).unwrap() - 1000);
    }
    (passed, now)
}

/// Asserts that no rate drifts. All runs start at the same time, so each limit has its own key. Under a shared key, a
/// run would find the units of an earlier run.
async fn no_drift(store: &dyn Store, mut set_clock: impl FnMut(u64), moments: u32) {
    let limits = RATES.into_iter().flat_map(|(count, time, burst)| {
        let (period, of) = (Duration::from_millis(time), (count, time, burst));
        [Limit::token_bucket(count, period).burst(burst), Limit::leaky_bucket(count, period).burst(burst)]
            .map(|limit| (limit, of))
    });
    for (key, (limit, (count, time, burst))) in limits.enumerate() {
        let request = TestRequest::new(key, limit, 1);
        let (mut passed, now) = drained(store, &mut set_clock, request, moments).await;
        set_clock(now);
        passed += u64::from(decide(store, Mode::Peek, &[request]).await.unwrap()[0].remaining());
        let ms = u128::from(now / 1000 - START / 1000);
        let due = u128::from(burst) + ms * u128::from(count) / u128::from(time);
        assert_eq!(u128::from(passed), due, "{limit} in {ms} ms");
    }
}

#[tokio::test]
async fn buckets_in_memory_never_drift() {
    let clock = ManualClock::new();
    let store = MemoryStore::with_clock(clock.clone());
    no_drift(&store, |now| clock.set(Duration::from_micros(now)), rounds(5000, 20_000)).await;
}

#[tokio::test]
async fn buckets_of_the_script_never_drift() {
    let mut twins = Twins::start();
    let store = twins.redis.clone();
    no_drift(&store, |now| twins.set_clock(now), rounds(500, 1500)).await;
}

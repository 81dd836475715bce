//! Extreme limits, costs and pauses, with the smallest and largest legal numbers.

use crate::harness::{TestAdjustment, TestRequest, adjust, decide};
use crate::models::random::mixed_traffic::plausible;
use ratelimit::store::{Change, Mode, Store};
use ratelimit::{Algorithm, Decision, Limit, LimitError, Refill};
use std::time::Duration;

const YEAR_MS: u64 = 366 * 86_400_000;
const COUNTS: [u32; 13] =
    [0, 1, 2, 3, 7, 9_999, 10_000, 56_001, (1 << 25) - 1, 1 << 25, u32::MAX / 2, u32::MAX - 1, u32::MAX];
const TIMES_MS: [u64; 9] = [1, 2, 7, 1000, 60_000, 86_400_000, (1 << 33) - 1, YEAR_MS - 1, YEAR_MS];
const WAITS_MS: [u64; 4] = [0, 1, 86_400_000, YEAR_MS];

/// Adds an option to a limit, if that is legal.
type Addition = fn(Limit) -> Result<Limit, LimitError>;
const ADDITIONS: [Addition; 10] = [
    Ok,
    |limit| limit.try_refill(Refill::Interval),
    |limit| limit.try_burst(1),
    |limit| limit.try_burst(1 << 25),
    |limit| limit.try_borrow(1),
    |limit| limit.try_borrow(1 << 24),
    |limit| limit.try_refill(Refill::Interval)?.try_borrow(2),
    |limit| limit.try_burst(limit.count() / 2 + 1)?.try_borrow(limit.count() / 2),
    |limit| limit.try_lease(limit.count() / 2),
    Limit::try_lease_auto,
];

/// All legal limits of an algorithm with extreme numbers.
pub(crate) fn limits(algorithm: Algorithm) -> Vec<Limit> {
    let mut limits = Vec::new();
    for count in COUNTS {
        for time in TIMES_MS.map(Duration::from_millis) {
            let Ok(plain) = Limit::plain(algorithm, count, time) else { continue };
            for changed in ADDITIONS.iter().filter_map(|add| add(plain).ok()) {
                let waiting = WAITS_MS.map(|wait| changed.try_wait(Duration::from_millis(wait)));
                limits.extend(waiting.into_iter().flatten());
            }
        }
    }
    limits
}

/// A cost of zero, one, half, all, one too many, or far too many units. For lists the cost is mostly small, because each unit
/// is an entry.
pub(crate) fn cost(random: &mut fastrand::Rng, limit: &Limit) -> u32 {
    let capacity = limit.capacity();
    let (least, most) = (capacity.saturating_sub(1), capacity.saturating_add(1));
    let edges = [0, 1, 1, 2, 3, 10_000, capacity / 2, least, capacity, most, 1 << 25, u32::MAX - 1, u32::MAX];
    let cost = random.choice(edges).unwrap();
    let lists = limit.is_list();
    if lists && cost <= capacity && random.u8(0..10) > 0 { cost.min(30) } else { cost }
}

/// Makes random requests and an adjustment on a store. The decisions must be plausible. Returns their stamps.
pub(crate) async fn try_out(
    store: &dyn Store,
    random: &mut fastrand::Rng,
    requests: &[TestRequest],
    stamps: &[u64],
) -> Vec<u64> {
    let mode = random.choice([Mode::Check, Mode::Check, Mode::Charge, Mode::Peek]).unwrap();
    let decisions = decide(store, mode, requests).await.unwrap();
    requests.iter().zip(&decisions).for_each(|(request, decision)| plausible(mode, request, decision));
    let TestRequest { key, limit, .. } = requests[0];
    let stamp = random.choice(stamps).copied().unwrap_or(1);
    let change = match (limit.algorithm(), random.bool()) {
        (Algorithm::Concurrency, true) => Change::Renew(stamp),
        (_, true) => Change::Take,
        (_, false) => Change::Give(stamp),
    };
    let units = cost(random, &limit).min(if limit.count() > 10_000 { u32::MAX } else { 30 });
    let adjusted = adjust(store, &[TestAdjustment { key, limit, units, change }]).await.unwrap();
    assert!(adjusted[0] <= units, "{limit}: {change:?} of {units}: {adjusted:?}");
    decisions.iter().map(Decision::stamp).filter(|stamp| *stamp > 0).collect()
}

/// A pause in µs: zero, close to the periods of the limit, or longer.
pub(crate) fn pause(random: &mut fastrand::Rng, limit: &Limit) -> u64 {
    let us = |time: Duration| u64::try_from(time.as_micros()).unwrap();
    let (time, wait) = (us(limit.time()), us(limit.longest_wait()));
    let period = time / u64::from(limit.count().max(1));
    random
        .choice([0, 0, 1, 999, 1000, period, time / 2, time - 1000, time, time + 1000, wait, 2 * time])
        .unwrap()
}

/// Parsing the displayed text of a limit returns the same limit.
#[test]
fn every_extreme_limit_is_parsed_as_it_is_displayed() {
    let mut all = 0;
    for algorithm in Algorithm::ALL {
        for limit in limits(algorithm) {
            assert_eq!(limit.to_string().parse(), Ok(limit));
            all += 1;
        }
    }
    assert!(all > 2000, "{all}");
}

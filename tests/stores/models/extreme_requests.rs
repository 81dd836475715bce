//! Extreme limits in all kinds of requests: single requests, many requests in one call, and many concurrent calls. The script
//! and its Rust twin agree, and a plain count of units agrees with both.
//!
//! The tests are single-threaded, so that calls reach the server in the order in which they are made.

use crate::harness::{TestAdjustment, TestRequest, Twins, decide, in_mode, join, key, operations, seed};
use crate::models::random::extremes::{cost, limits, pause, try_out};
use crate::models::random::mixed_traffic::plausible;
use ratelimit::store::{Change, Mode, Store};
use ratelimit::{Algorithm, Decision, Limit, Refill};
use std::time::Duration;

const KEYS: usize = 3;
const MODES: [Mode; 4] = [Mode::Check, Mode::Check, Mode::Charge, Mode::Peek];
/// The latest time in µs of a test. Above 2^53 µs, Lua cannot represent the server's clock exactly.
const END: u64 = (1 << 53) - 4 * 366 * 86_400_000_000;

struct Extremes {
    twins: Twins,
    random: fastrand::Rng,
    now: u64,
    permits: u64,
    charges: Vec<(TestRequest, u64)>,
}

impl Extremes {
    async fn start(algorithm: Algorithm) -> Self {
        let (random, twins) = (fastrand::Rng::with_seed(seed() + algorithm as u64), Twins::start());
        let mut extremes = Self { twins, random, now: 0, permits: 1, charges: Vec::new() };
        // Makes the server load the scripts. A call whose script is missing is sent again, so it would be decided after later
        // calls.
        extremes.twins.set_clock(1_000_000);
        let known =
            [format!("{} count=3 time=10s", algorithm.as_str()).parse().unwrap(), limits(algorithm)[0]];
        for limit in known {
            let requests: Vec<TestRequest> = (0..3).map(|key| TestRequest::new(key, limit, 1)).collect();
            join(in_mode(&extremes.twins.redis, Mode::Check, &requests)).await;
            join(in_mode(&extremes.twins.redis, Mode::Charge, &requests)).await;
        }
        extremes
    }

    fn begin(&mut self) {
        self.twins.clear();
        self.charges.clear();
        self.now = self.random.choice([0, 1, 1000, 1_763_000_000_123_456, 6 << 50]).unwrap();
        self.twins.set_clock(self.now);
    }

    fn requests(&mut self, limit: Limit, most: usize) -> Vec<TestRequest> {
        let request = |_| {
            self.permits += 1;
            let (key, cost) = (self.random.usize(0..KEYS), cost(&mut self.random, &limit));
            TestRequest::new(key, limit, cost).with_permit(self.permits)
        };
        (0..most).map(request).collect()
    }

    /// Makes concurrent calls. Each decision must be the same as if the calls had come one after another.
    async fn decide_at_once(&mut self, mode: Mode, requests: &[TestRequest]) -> Vec<Decision> {
        let found = join(in_mode(&self.twins.redis, mode, requests)).await;
        let mut decisions = Vec::new();
        for (one, found) in requests.iter().zip(found) {
            let (expected, found) =
                (decide(&self.twins.memory, mode, &[*one]).await.unwrap()[0], found.unwrap());
            let named =
                |decision: &Decision| (decision.is_allowed(), decision.remaining(), decision.retry_after());
            assert_eq!(named(&found), named(&expected), "{mode:?} {one:?} at {} of {requests:?}", self.now);
            assert!(mode == Mode::Check || found == expected, "{one:?}: {found:?}, not {expected:?}");
            decisions.push(expected);
        }
        decisions
    }

    async fn request(&mut self, limit: Limit) {
        let mode = self.random.choice(MODES).unwrap();
        let most = self.random.choice([1, 2, 7]).unwrap();
        let requests = self.requests(limit, most);
        let goes_with_others = mode != Mode::Peek && !limit.is_concurrency();
        let decisions = if goes_with_others && self.random.bool() {
            self.decide_at_once(mode, &requests).await
        } else {
            self.twins.decide(mode, &requests).await
        };
        for (request, decision) in requests.iter().zip(&decisions) {
            plausible(mode, request, decision);
            if decision.stamp() > 0 {
                self.charges.push((*request, decision.stamp()));
            }
        }
    }

    async fn adjustment(&mut self, limit: Limit) {
        let known = self.random.choice(&self.charges).copied();
        let (request, stamp) = known.unwrap_or((TestRequest::new(0, limit, 1), 1));
        let any = cost(&mut self.random, &limit);
        let units = self.random.choice([0, 1, request.cost, any]).unwrap();
        let stamp = self.random.choice([stamp, stamp, stamp, 0, (1 << 53) - 2]).unwrap();
        let change = match (limit.algorithm(), self.random.bool()) {
            (Algorithm::Concurrency, true) => Change::Renew(stamp),
            (_, true) => Change::Take,
            (_, false) => Change::Give(stamp),
        };
        let units = match (limit.algorithm(), change) {
            // A permit is returned and renewed only as a whole.
            (Algorithm::Concurrency, _) => request.cost,
            // A log stores an entry for each unit, so the test takes at most 200 units.
            (Algorithm::SlidingLog, Change::Take) => units.min(200),
            _ => units,
        };
        let changed = self.twins.adjust(&[TestAdjustment { key: request.key, limit, units, change }]).await;
        assert!(changed[0] <= units, "{limit}: {changed:?} of {units}");
    }
}

/// Compares decisions with a plain count of used units, which is exact without waits and while no time passes.
async fn counts(extremes: &mut Extremes, limit: Limit) {
    let mut used = [0_u64; KEYS];
    let capacity = u64::from(limit.capacity());
    for _ in 0..6 {
        let requests = extremes.requests(limit, 7);
        let decisions = if limit.is_concurrency() || extremes.random.bool() {
            extremes.twins.decide(Mode::Check, &requests).await
        } else {
            extremes.decide_at_once(Mode::Check, &requests).await
        };
        for (request, decision) in requests.iter().zip(decisions) {
            let cost = u64::from(request.cost);
            let fits = used[request.key] + cost <= capacity;
            used[request.key] += if fits { cost } else { 0 };
            assert_eq!(decision.is_allowed(), fits, "{request:?} with {used:?} in use");
            assert_eq!(u64::from(decision.remaining()), capacity - used[request.key], "{request:?}");
        }
    }
    for (key, used) in used.into_iter().enumerate() {
        let left = extremes.twins.decide(Mode::Peek, &[TestRequest::new(key, limit, 1)]).await[0].remaining();
        assert_eq!(u64::from(left), capacity - used, "{limit}: what is in use is what was charged");
    }
}

async fn agree(algorithm: Algorithm) {
    let mut extremes = Extremes::start(algorithm).await;
    let limits = limits(algorithm);
    for _ in 0..operations(1200) / 30 {
        let limit = extremes.random.choice(&limits).copied().unwrap();
        extremes.begin();
        if limit.longest_wait().is_zero() && limit.count() > 0 {
            counts(&mut extremes, limit).await;
        }
        for _ in 0..24 {
            if extremes.random.u8(0..4) == 0 {
                extremes.adjustment(limit).await;
            } else {
                extremes.request(limit).await;
            }
            extremes.now = (extremes.now + pause(&mut extremes.random, &limit)).min(END);
            extremes.twins.set_clock(extremes.now);
        }
    }
}

macro_rules! agree {
    ($($name:ident: $algorithm:ident;)*) => {
        $(
            #[tokio::test]
            async fn $name() {
                agree(Algorithm::$algorithm).await;
            }
        )*
    };
}

agree! {
    the_twins_agree_on_the_largest_counters: Counter;
    the_twins_agree_on_the_largest_token_buckets: TokenBucket;
    the_twins_agree_on_the_largest_windows: SlidingWindow;
    the_twins_agree_on_the_largest_logs: SlidingLog;
    the_twins_agree_on_the_largest_leaky_buckets: LeakyBucket;
    the_twins_agree_on_the_most_permits: Concurrency;
}

/// Tests buckets with the slowest refill that are in debt. Requests come before the buckets have refilled.
#[tokio::test]
async fn the_state_of_the_slowest_buckets_stays_exact() {
    const DAY_US: u64 = 86_400_000_000;
    let mut extremes = Extremes::start(Algorithm::TokenBucket).await;
    let year = Duration::from_secs(366 * 86_400);
    for limit in [
        Limit::token_bucket(7, year),
        Limit::token_bucket(56_001, year),
        Limit::token_bucket(7, Duration::from_secs(366 * 86_400 - 5)).refill(Refill::Interval),
        Limit::token_bucket(10, year * 3 / 4).burst(13).refill(Refill::Interval),
        Limit::token_bucket(7, year).wait(year),
        Limit::leaky_bucket(7, year),
        Limit::leaky_bucket(7, year).wait(year),
    ] {
        extremes.begin();
        extremes.now = 1_763_000_000_000_000;
        for _ in 0..300 {
            extremes.twins.set_clock(extremes.now);
            let cost = extremes.random.u32(0..=limit.capacity());
            let one = [TestRequest::new(0, limit, cost)];
            let mode = extremes.random.choice(MODES).unwrap();
            extremes.twins.decide(mode, &one).await;
            if extremes.random.u8(0..8) == 0 {
                let take = TestAdjustment { key: 0, limit, units: limit.capacity(), change: Change::Take };
                extremes.twins.adjust(&[take]).await;
            }
            let state =
                redis::cmd("GET").arg(key(0, &limit)).query::<Option<String>>(extremes.twins.raw()).unwrap();
            // The state is exact if it has the short form (`lua/head.lua`), or at most 2^27 - 1 units.
            let units = |state: &str| state[..state.len() - 22].parse::<u32>().unwrap();
            let is_exact = |state: String| state.len() < 20 || state.len() > 22 && units(&state) < 1 << 27;
            assert!(state.is_none_or(is_exact), "{limit}");
            extremes.now += extremes.random.u64(0..60 * DAY_US);
        }
    }
}

/// Like an override, changes a limit from one extreme to another. Both stores must still make plausible decisions.
#[tokio::test]
async fn a_limit_may_change_between_extremes() {
    for algorithm in Algorithm::ALL {
        let mut extremes = Extremes::start(algorithm).await;
        let limits = limits(algorithm);
        for _ in 0..operations(240) / 20 {
            extremes.begin();
            for _ in 0..20 {
                let limit = extremes.random.choice(&limits).copied().unwrap();
                let requests = extremes.requests(limit, 7);
                let stores: [&dyn Store; 2] = [&extremes.twins.memory, &extremes.twins.redis];
                for store in stores {
                    try_out(store, &mut extremes.random, &requests, &[]).await;
                }
                extremes.now = (extremes.now + pause(&mut extremes.random, &limit)).min(END);
                extremes.twins.set_clock(extremes.now);
            }
        }
    }
}

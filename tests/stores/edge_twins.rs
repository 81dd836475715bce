//! Limits at the edges of the legal range, asked for in every way: alone, many in one call, and many calls that come at once.
//! The script and its Rust twin agree, and a plain count of units agrees with both.
//!
//! On one thread: calls reach the server in the order in which they were made.

use crate::edges::{cost, limits, pause};
use crate::mixture::plausible;
use crate::setup::{Ask, Tell, Twins, ask, key, operations, seed, tell};
use crate::together::{asking_in, together};
use ratelimit::store::{Change, Mode, Store};
use ratelimit::{Algorithm, Decision, Limit, Refill};
use std::time::Duration;

const KEYS: usize = 3;
const MODES: [Mode; 4] = [Mode::Check, Mode::Check, Mode::Charge, Mode::Peek];
/// Above 2^53 µs the server's clock cannot be counted exactly.
const END: u64 = (1 << 53) - 4 * 366 * 86_400_000_000;

struct Edges {
    twins: Twins,
    random: fastrand::Rng,
    now: u64,
    permits: u64,
    charges: Vec<(Ask, u64)>,
}

impl Edges {
    async fn start(algorithm: Algorithm) -> Self {
        let (random, twins) = (fastrand::Rng::with_seed(seed() + algorithm as u64), Twins::start());
        let mut edges = Self { twins, random, now: 0, permits: 1, charges: Vec::new() };
        // A script that the server does not know is sent again, behind calls that came later.
        edges.twins.set_clock(1_000_000);
        let known =
            [format!("{} count=3 time=10s", algorithm.as_str()).parse().unwrap(), limits(algorithm)[0]];
        for limit in known {
            let asks: Vec<Ask> = (0..3).map(|key| Ask::new(key, limit, 1)).collect();
            together(asking_in(&edges.twins.redis, Mode::Check, &asks)).await;
            together(asking_in(&edges.twins.redis, Mode::Charge, &asks)).await;
        }
        edges
    }

    fn begin(&mut self) {
        self.twins.forget();
        self.charges.clear();
        self.now = self.random.choice([0, 1, 1000, 1_763_000_000_123_456, 6 << 50]).unwrap();
        self.twins.set_clock(self.now);
    }

    fn asks(&mut self, limit: Limit, most: usize) -> Vec<Ask> {
        let ask = |_| {
            self.permits += 1;
            let (key, cost) = (self.random.usize(0..KEYS), cost(&mut self.random, &limit));
            Ask::new(key, limit, cost).with_permit(self.permits)
        };
        (0..most).map(ask).collect()
    }

    /// Many calls at once, each of which is answered as if they had come one by one.
    async fn ask_together(&mut self, mode: Mode, asks: &[Ask]) -> Vec<Decision> {
        let found = together(asking_in(&self.twins.redis, mode, asks)).await;
        let mut decisions = Vec::new();
        for (one, found) in asks.iter().zip(found) {
            let (expected, found) =
                (ask(&self.twins.memory, mode, &[*one]).await.unwrap()[0], found.unwrap());
            let named =
                |decision: &Decision| (decision.allowed(), decision.remaining(), decision.retry_after());
            assert_eq!(named(&found), named(&expected), "{mode:?} {one:?} at {} of {asks:?}", self.now);
            assert!(mode == Mode::Check || found == expected, "{one:?}: {found:?}, not {expected:?}");
            decisions.push(expected);
        }
        decisions
    }

    async fn ask(&mut self, limit: Limit) {
        let mode = self.random.choice(MODES).unwrap();
        let most = self.random.choice([1, 2, 7]).unwrap();
        let asks = self.asks(limit, most);
        let goes_with_others = mode != Mode::Peek && limit.algorithm() != Algorithm::Concurrency;
        let decisions = if goes_with_others && self.random.bool() {
            self.ask_together(mode, &asks).await
        } else {
            self.twins.ask(mode, &asks).await
        };
        for (ask, decision) in asks.iter().zip(&decisions) {
            plausible(mode, ask, decision);
            if decision.stamp() > 0 {
                self.charges.push((*ask, decision.stamp()));
            }
        }
    }

    async fn tell(&mut self, limit: Limit) {
        let known = self.random.choice(&self.charges).copied();
        let (ask, stamp) = known.unwrap_or((Ask::new(0, limit, 1), 1));
        let any = cost(&mut self.random, &limit);
        let units = self.random.choice([0, 1, ask.cost, any]).unwrap();
        let stamp = self.random.choice([stamp, stamp, stamp, 0, (1 << 53) - 2]).unwrap();
        let change = match (limit.algorithm(), self.random.bool()) {
            (Algorithm::Concurrency, true) => Change::Renew(stamp),
            (_, true) => Change::Take,
            (_, false) => Change::Give(stamp),
        };
        let units = match limit.algorithm() {
            // A permit is given back and renewed as a whole.
            Algorithm::Concurrency => ask.cost,
            // Of a log each unit is an entry.
            Algorithm::SlidingLog => units.min(200),
            _ => units,
        };
        let changed = self.twins.tell(&[Tell { key: ask.key, limit, units, change }]).await;
        assert!(changed[0] <= units, "{limit}: {changed:?} of {units}");
    }
}

/// Without waits, and while no time passes, units are just counted.
async fn counts(edges: &mut Edges, limit: Limit) {
    let mut used = [0_u64; KEYS];
    let capacity = u64::from(limit.capacity());
    for _ in 0..6 {
        let asks = edges.asks(limit, 7);
        let decisions = if limit.algorithm() == Algorithm::Concurrency || edges.random.bool() {
            edges.twins.ask(Mode::Check, &asks).await
        } else {
            edges.ask_together(Mode::Check, &asks).await
        };
        for (ask, decision) in asks.iter().zip(decisions) {
            let cost = u64::from(ask.cost);
            let fits = used[ask.key] + cost <= capacity;
            used[ask.key] += if fits { cost } else { 0 };
            assert_eq!(decision.allowed(), fits, "{ask:?} with {used:?} in use");
            assert_eq!(u64::from(decision.remaining()), capacity - used[ask.key], "{ask:?}");
        }
    }
    for (key, used) in used.into_iter().enumerate() {
        let left = edges.twins.ask(Mode::Peek, &[Ask::new(key, limit, 1)]).await[0].remaining();
        assert_eq!(u64::from(left), capacity - used, "{limit}: what is in use is what was charged");
    }
}

async fn agree(algorithm: Algorithm) {
    let mut edges = Edges::start(algorithm).await;
    let limits = limits(algorithm);
    for _ in 0..operations(1200) / 30 {
        let limit = edges.random.choice(&limits).copied().unwrap();
        edges.begin();
        if limit.longest_wait().is_zero() && limit.count() > 0 {
            counts(&mut edges, limit).await;
        }
        for _ in 0..24 {
            if edges.random.u8(0..4) == 0 {
                edges.tell(limit).await;
            } else {
                edges.ask(limit).await;
            }
            edges.now = (edges.now + pause(&mut edges.random, &limit)).min(END);
            edges.twins.set_clock(edges.now);
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

/// Buckets that take longest to refill, in debt, and asked for again and again before they have refilled.
#[tokio::test]
async fn the_state_of_the_slowest_buckets_stays_exact() {
    const DAY_US: u64 = 86_400_000_000;
    let mut edges = Edges::start(Algorithm::TokenBucket).await;
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
        edges.begin();
        edges.now = 1_763_000_000_000_000;
        for _ in 0..300 {
            edges.twins.set_clock(edges.now);
            let cost = edges.random.u32(0..=limit.capacity());
            let one = [Ask::new(0, limit, cost)];
            let mode = edges.random.choice(MODES).unwrap();
            edges.twins.ask(mode, &one).await;
            if edges.random.u8(0..8) == 0 {
                edges.twins.tell_one(limit, limit.capacity(), Change::Take).await;
            }
            let state =
                redis::cmd("GET").arg(key(0, &limit)).query::<Option<u64>>(edges.twins.raw()).unwrap();
            assert!(state.unwrap_or(0) < 1 << 53, "{limit}: {state:?}");
            edges.now += edges.random.u64(0..60 * DAY_US);
        }
    }
}

/// From one edge to the other, as an override may: both stores go on, with answers in range.
#[tokio::test]
async fn a_limit_may_change_from_one_edge_to_the_other() {
    for algorithm in Algorithm::ALL {
        let mut edges = Edges::start(algorithm).await;
        let limits = limits(algorithm);
        for _ in 0..operations(240) / 20 {
            edges.begin();
            for _ in 0..20 {
                let limit = edges.random.choice(&limits).copied().unwrap();
                let (mode, asks) = (edges.random.choice(MODES).unwrap(), edges.asks(limit, 7));
                let take = [Tell { key: asks[0].key, limit, units: 30, change: Change::Take }];
                let stores: [&dyn Store; 2] = [&edges.twins.memory, &edges.twins.redis];
                for store in stores {
                    let decisions = ask(store, mode, &asks).await.unwrap();
                    asks.iter().zip(&decisions).for_each(|(ask, decision)| plausible(mode, ask, decision));
                    if algorithm != Algorithm::Concurrency {
                        assert!(tell(store, &take).await.unwrap()[0] <= 30);
                    }
                }
                edges.now = (edges.now + pause(&mut edges.random, &limit)).min(END);
                edges.twins.set_clock(edges.now);
            }
        }
    }
}

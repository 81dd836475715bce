//! Random requests and adjustments of all algorithms, with limits that change under a key, stacks, and adjustments under
//! another limit than the charge.

use crate::harness::{TestAdjustment, TestRequest, Twins, adjust, decide};
use ratelimit::per::Calendar;
use ratelimit::store::{Change, Mode};
use ratelimit::{Algorithm, Decision, Limit, Refill};
use std::collections::HashMap;
use std::time::Duration;

const KEYS: usize = 5;
const DAY_MS: u64 = 86_400_000;

pub(crate) fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The first and the last time in µs. A return may move an anchor back by a year, and never before 1970. After the last time, the stores are cleared and the times start again, because Lua could
/// not represent later times.
const START: u64 = 2 * 366 * DAY_MS * 1000;
const END: u64 = 200 * 366 * DAY_MS * 1000;

/// A random limit of one algorithm. A key only has limits of one algorithm. The times use every unit, up to the longest time.
fn any_limit(random: &mut fastrand::Rng, algorithm: Algorithm) -> Limit {
    let any = 1 + (random.u64(0..366 * DAY_MS) >> random.u32(0..35));
    let units = [1, 7, 250, 1000, 1500, 60_000, 3_600_000, DAY_MS, 7 * DAY_MS, 30 * DAY_MS, 90 * DAY_MS, any];
    let time = random.choice(units).unwrap();
    let count = random.choice([1, 2, 5, 12, 300]).unwrap();
    let burst = random.choice([1, 3, 10, 400, count, count]).unwrap();
    // After a change to the slowest limit, Lua computes exactly only with up to 280 000 units, so few calls may wait.
    let longest_wait = (20_000 * time / u64::from(count)).min(366 * DAY_MS);
    let wait = random.choice([0, 0, 0, 1, 20, 700, 3000, time / 3, 2 * time, longest_wait]).unwrap();
    let (time, wait) = (ms(time), ms(wait.min(longest_wait)));
    // A burst is left out if its refill would take too long.
    let with_burst = |limit: Limit| limit.try_burst(burst).unwrap_or(limit);
    let time = if algorithm.is_concurrency() { time.max(ms(1000)) } else { time };
    let plain = Limit::plain(algorithm, count, time).unwrap();
    match algorithm {
        Algorithm::Counter if random.u32(0..4) == 0 => {
            let window = random.choice(Calendar::ALL).unwrap();
            Limit::calendar(count, window).zone(random.choice(["+00:00", "+01:00", "-09:30"]).unwrap())
        }
        Algorithm::LeakyBucket if random.bool() => with_burst(plain),
        Algorithm::TokenBucket => {
            let refill = random.choice([Refill::Greedy, Refill::Interval]).unwrap();
            let limit = with_burst(plain).refill(refill);
            limit.try_borrow(random.choice([0, 0, 4]).unwrap()).unwrap_or(limit).wait(wait)
        }
        _ => plain.wait(wait),
    }
}

/// The source of random calls, and the charges whose units can be returned.
struct MixedTraffic {
    random: fastrand::Rng,
    algorithms: Vec<Algorithm>,
    /// The last limit of each key.
    limits: HashMap<(usize, Algorithm), Limit>,
    permits: u64,
    charges: Vec<(TestRequest, u64)>,
    /// Whether limits block, and callers share buckets. If the clock steps back, they do not, because an expired gate or an old
    /// share might return in only one store.
    blocks: bool,
}

impl MixedTraffic {
    fn new(algorithms: &[Algorithm], blocks: bool, seed: u64) -> Self {
        let random = fastrand::Rng::with_seed(seed);
        Self {
            random,
            algorithms: algorithms.to_vec(),
            limits: HashMap::new(),
            permits: 1,
            charges: Vec::new(),
            blocks,
        }
    }

    /// The limit of a key, which changes in a third of the requests.
    fn limit(&mut self, key: usize, algorithm: Algorithm) -> Limit {
        let new = any_limit(&mut self.random, algorithm);
        let steps = [ms(1000), ms(60_000), ms(90 * DAY_MS)];
        let number = self.random.usize(0..=steps.len());
        let blocks = self.blocks && self.random.u32(0..3) == 0;
        let new = if blocks { new.try_block(&steps[..number]).unwrap_or(new) } else { new };
        let limit = self.limits.entry((key, algorithm)).or_insert(new);
        *limit = if self.random.u32(0..3) == 0 { new } else { *limit };
        *limit
    }

    fn request(&mut self, key: usize) -> TestRequest {
        let algorithm = self.random.choice(&self.algorithms).copied().unwrap();
        let limit = self.limit(key, algorithm);
        let cost = if self.random.bool() { 1 } else { self.random.u32(0..=limit.capacity() + 2) };
        let keep = if self.random.u32(0..6) == 0 { self.random.u32(0..=limit.capacity() + 1) } else { 0 };
        self.permits += 1;
        let is_shared = self.blocks && algorithm.is_bucket() && self.random.u32(0..3) == 0;
        let caller = if is_shared { self.random.u64(1..5) } else { 0 };
        let request = TestRequest::new(key, limit, cost.min(1000)).with_permit(self.permits);
        request.with_keep(keep).with_caller(caller)
    }

    /// Random single requests, and stacks whose members have different keys.
    fn requests(&mut self) -> Vec<TestRequest> {
        let mut requests = Vec::new();
        while requests.len() < self.random.usize(1..=8) {
            let members = if self.random.u32(0..4) == 0 { self.random.usize(2..=4) } else { 1 };
            let mut of_stack: Vec<usize> = (0..KEYS).collect();
            self.random.shuffle(&mut of_stack);
            for (i, key) in of_stack.into_iter().take(members).enumerate() {
                requests.push(TestRequest { with_next: i + 1 < members, ..self.request(key) });
            }
        }
        requests
    }

    /// Peeks at every key, so that both stores remove expired states. Otherwise only one store might still have an expired
    /// state after the clock steps back.
    fn look_at_all(&mut self) -> Call {
        let mut requests = Vec::new();
        for algorithm in self.algorithms.clone() {
            requests.extend(
                (0..KEYS).map(|key| TestRequest::new(key, any_limit(&mut self.random, algorithm), 1)),
            );
        }
        Call::Decide(Mode::Peek, requests)
    }

    /// An adjustment of a charge, under the charge's limit or another limit.
    fn adjustment(&mut self) -> TestAdjustment {
        let (request, stamp) = self.random.choice(&self.charges).copied().unwrap_or((self.request(0), 1));
        let algorithm = request.limit.algorithm();
        let limit = if self.random.bool() { request.limit } else { any_limit(&mut self.random, algorithm) };
        let is_list = algorithm.is_list();
        let block = self.random.u64(1..=DAY_MS) >> self.random.u32(0..20);
        let change = match (algorithm, self.random.u32(0..if self.blocks && !is_list { 8 } else { 4 })) {
            (_, 4) => Change::Block(block.max(1)),
            (_, 5) => Change::Open,
            (_, 6) => Change::Pause(block.max(1)),
            (_, 7) => Change::Closed,
            (Algorithm::Concurrency, 0) => Change::Renew(stamp),
            (Algorithm::Concurrency, _) => Change::Give(stamp),
            (_, 0) if self.random.bool() => Change::Used,
            (_, 0) => Change::Take,
            _ => Change::Give(stamp),
        };
        TestAdjustment { key: request.key, limit, units: request.cost, change }
    }

    fn remember(&mut self, requests: &[TestRequest], decisions: &[Decision]) {
        let charged = requests.iter().zip(decisions).filter(|(_, decision)| decision.stamp() > 0);
        self.charges.extend(charged.map(|(request, decision)| (*request, decision.stamp())));
        let superfluous = self.charges.len().saturating_sub(30);
        self.charges.drain(..superfluous);
    }
}

/// Asserts the properties that every decision has.
pub(crate) fn plausible(mode: Mode, request: &TestRequest, decision: &Decision) {
    assert!(decision.remaining() <= decision.capacity(), "{request:?} {decision:?}");
    assert_eq!(decision.capacity(), request.limit.capacity());
    match (decision.is_allowed(), decision.retry_after()) {
        (true, None) => {}
        (false, None) => {
            let closed = request.limit.count() == 0 || request.limit.capacity() == 0;
            let needed = u64::from(request.cost) + u64::from(request.keep);
            assert!(
                closed || needed > u64::from(request.limit.capacity()),
                "never, though {request:?} could fit"
            );
        }
        (false, Some(wait)) => assert!(wait >= ms(1), "{request:?} {decision:?}"),
        (true, Some(_)) => panic!("an allowed call has nothing to wait for"),
    }
    let patience = if mode == Mode::Charge { request.limit.longest_wait() } else { Duration::ZERO };
    assert!(decision.delay() <= patience, "{request:?} {decision:?}");
    assert!(mode == Mode::Charge || decision.stamp() == 0);
}

/// A call that is made on both stores.
#[derive(Clone, Debug)]
pub(crate) enum Call {
    Decide(Mode, Vec<TestRequest>),
    Adjust(Vec<TestAdjustment>),
}

impl Call {
    fn any(traffic: &mut MixedTraffic) -> Self {
        let random = &mut traffic.random;
        if random.u32(0..6) == 0 {
            return Self::Adjust((0..random.usize(1..=4)).map(|_| traffic.adjustment()).collect());
        }
        if random.u32(0..4) == 0 {
            let key = random.usize(0..KEYS);
            return Self::Decide(Mode::Check, vec![traffic.request(key)]);
        }
        let modes = [Mode::Check, Mode::Check, Mode::Charge, Mode::Charge, Mode::Peek];
        Self::Decide(random.choice(modes).unwrap(), traffic.requests())
    }

    /// Makes the call on both stores. Returns the number of operations, and whether the stores agree.
    async fn make(&self, twins: &Twins, traffic: &mut MixedTraffic) -> (usize, bool) {
        match self {
            Self::Adjust(adjustments) => {
                let by_memory = adjust(&twins.memory, adjustments).await.unwrap();
                let by_script = adjust(&twins.redis, adjustments).await;
                (adjustments.len(), by_script.is_ok_and(|by_script| by_script == by_memory))
            }
            Self::Decide(mode, requests) => {
                let decisions = decide(&twins.memory, *mode, requests).await.unwrap();
                requests
                    .iter()
                    .zip(&decisions)
                    .for_each(|(request, decision)| plausible(*mode, request, decision));
                traffic.remember(requests, &decisions);
                let by_script = decide(&twins.redis, *mode, requests).await;
                (requests.len(), by_script.is_ok_and(|by_script| by_script == decisions))
            }
        }
    }
}

/// Makes random calls until the twins differ. Returns all calls up to the difference, or `None` if there is no difference.
pub(crate) async fn first_difference(
    twins: &mut Twins,
    algorithms: &[Algorithm],
    operations: usize,
    back: bool,
    seed: u64,
) -> Option<Vec<(u64, Call)>> {
    let mut traffic = MixedTraffic::new(algorithms, !back, seed);
    let (mut now, mut done, mut past) = (START, 0, Vec::new());
    while done < operations {
        let random = &mut traffic.random;
        // The server does not follow this clock, so it keeps keys whose TTL has passed. Scripts can read the time of a state for 173
        // days, so few keys may rest for so long.
        let far = random.u64(0..50 * DAY_MS * 1000) >> random.u32(0..24);
        let steps = [0, 0, 0, 1, 400, 1000, 3000, 80_500, 700_000, 30_000_000, 400_000_000, far, far, far];
        now += random.choice(steps).unwrap();
        if now > END {
            (now, past) = (START, Vec::new());
            traffic.charges.clear();
            twins.clear();
        }
        if back && random.u32(0..10) == 0 {
            twins.set_clock(now);
            let looks = traffic.look_at_all();
            past.push((now, looks.clone()));
            if !looks.make(twins, &mut traffic).await.1 {
                return Some(past);
            }
            now -= traffic.random.choice([1, 1000, 5000, 900_000, 70_000_000, DAY_MS * 1000]).unwrap();
        }
        twins.set_clock(now);
        let call = Call::any(&mut traffic);
        past.push((now, call.clone()));
        let (operations, same) = call.make(twins, &mut traffic).await;
        if !same {
            return Some(past);
        }
        done += operations;
    }
    None
}

/// Makes these calls on empty stores. Returns the index of the first call on which the stores differ.
pub(crate) async fn differs_at(twins: &mut Twins, calls: &[(u64, Call)]) -> Option<usize> {
    let mut traffic = MixedTraffic::new(&[], false, 0);
    twins.clear();
    for (at, (now, call)) in calls.iter().enumerate() {
        twins.set_clock(*now);
        if !call.make(twins, &mut traffic).await.1 {
            return Some(at);
        }
    }
    None
}

//! Callers that share a bucket in equal parts: what is promised about the bound, the parts and the waits.

use super::shared_twins::Calls;
use crate::harness::{TestRequest, operations, seed};
use crate::models::random::mixed_traffic::ms;
use ratelimit::clock::ManualClock;
use ratelimit::store::{Mode, Request, Store, StoreKey};
use ratelimit::{Decision, Limit, MemoryStore};
use std::collections::HashMap;
use std::time::Duration;

/// A bucket that is computed by itself, in grains of 1/time units.
#[derive(Default)]
struct Shadow {
    grains: i128,
    at: u64,
}

impl Shadow {
    /// Charges units. Returns whether they were free.
    fn charge(&mut self, limit: &Limit, now: u64, units: u32) -> bool {
        let time = i128::try_from(limit.time().as_millis()).unwrap();
        let leaked = i128::from(now - self.at) * i128::from(limit.count());
        (self.grains, self.at) = ((self.grains - leaked).max(0) + i128::from(units) * time, now);
        self.grains <= i128::from(limit.capacity()) * time
    }
}

/// Decides requests of this process, and returns the decision about the last one.
fn decide(store: &MemoryStore<ManualClock>, request: &TestRequest) -> Decision {
    let sent = Request::new(StoreKey::new(b"t:{0}:tb2"), request.limit, request.cost);
    let sent = sent.with_keep(request.keep);
    let sent = if request.caller > 0 { sent.with_caller(request.caller) } else { sent };
    let mut reply = std::pin::pin!(store.decide(Mode::Check, &[&sent]));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match reply.as_mut().poll(&mut context) {
        std::task::Poll::Ready(decided) => decided.unwrap()[0],
        std::task::Poll::Pending => panic!("the memory store replies at once"),
    }
}

#[test]
fn the_bound_of_the_bucket_holds_and_one_caller_has_all_of_it() {
    for round in 0..u64::try_from(operations(1_000_000)).unwrap() / 5000 {
        let mut calls = Calls::new(seed() + round);
        let clock = ManualClock::new();
        let [shared, plain] = [(); 2].map(|()| MemoryStore::with_clock(clock.clone()));
        let mut shadow = Shadow::default();
        for _ in 0..5000 {
            let request = calls.next();
            clock.set(ms(calls.now));
            let decision = decide(&shared, &request);
            if decision.is_allowed() {
                assert!(shadow.charge(&calls.limit, calls.now, request.cost), "above the bound: {request:?}");
            }
            if calls.callers == 1 {
                assert_eq!(decision, decide(&plain, &TestRequest { caller: 0, ..request }));
            }
        }
    }
}

/// All sequences of four calls of three callers, with four times between calls, on a bucket of three units, after the first caller has
/// had most units. A caller is refused while a unit is free only if it has had more than the average. A unit is 100 ms.
#[test]
fn nobody_at_the_average_is_refused_while_a_unit_is_free() {
    const STEPS: [u64; 4] = [0, 100, 150, 250];
    const BEFORE: [(u64, u64); 17] = {
        let mut before = [(1, 100); 17];
        (before[0], before[1], before[2], before[3], before[4]) = ((1, 0), (1, 0), (1, 0), (2, 0), (3, 0));
        before
    };
    let limit = Limit::token_bucket(10, ms(1000)).burst(3);
    let mut refused_although_free = 0;
    for sequence in 0..12_u64.pow(4) {
        let clock = ManualClock::new();
        let store = MemoryStore::with_clock(clock.clone());
        let choices = (0..4).map(|call| sequence / 12_u64.pow(call) % 12);
        let calls = choices.map(|choice| (choice % 3 + 1, STEPS[usize::try_from(choice / 3).unwrap()]));
        let (mut now, mut had): (u64, HashMap<u64, f64>) = (1_000_000, HashMap::new());
        for (caller, step) in BEFORE.into_iter().chain(calls) {
            now += step;
            clock.set(ms(now));
            let free = decide(&store, &TestRequest::new(0, limit, 0)).remaining();
            if free == 3 {
                had.clear();
            }
            let number = f64::from(u32::try_from(had.len().max(1)).unwrap());
            let average = had.values().sum::<f64>() / number;
            let own = *had.get(&caller).unwrap_or(&average);
            let decision = decide(&store, &TestRequest::new(0, limit, 1).with_caller(caller));
            if free >= 1 && !decision.is_allowed() {
                refused_although_free += 1;
                assert!(own > average, "{sequence}: {own} of {average} on average, {free} free");
            }
            // A call of a full bucket is not counted, because no caller leaves more than two units.
            if free < 3 {
                had.insert(caller, own + f64::from(u8::from(decision.is_allowed())));
            }
        }
    }
    assert!(refused_although_free > 1000, "only {refused_although_free} callers left a unit to others");
}

/// Decides calls of a bucket of `count` units per second, whose callers share it if `is_fair`. Returns the calls that pass.
fn passing(calls: &[(u64, usize)], count: u32, is_fair: bool) -> Vec<(u64, usize)> {
    let limit = Limit::token_bucket(count, ms(1000));
    let clock = ManualClock::new();
    let store = MemoryStore::with_clock(clock.clone());
    let passes = |(now, caller): &&(u64, usize)| {
        clock.set(ms(1_000_000 + now));
        let hash = if is_fair { *caller as u64 + 1 } else { 0 };
        decide(&store, &TestRequest::new(0, limit, 1).with_caller(hash)).is_allowed()
    };
    calls.iter().filter(passes).copied().collect()
}

/// The calls of the callers in each span of `span` ms.
fn counted(calls: &[(u64, usize)], callers: usize, span: u64) -> HashMap<u64, Vec<f64>> {
    let mut counted: HashMap<u64, Vec<f64>> = HashMap::new();
    for (now, caller) in calls {
        counted.entry(now / span).or_insert_with(|| vec![0.0; callers])[*caller] += 1.0;
    }
    counted
}

/// The largest equal parts of `units` that no caller exceeds its demand with.
fn entitled(demand: &[f64], mut units: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..demand.len()).collect();
    order.sort_by(|a, b| demand[*a].total_cmp(&demand[*b]));
    let mut entitled = vec![0.0; demand.len()];
    for (done, caller) in order.iter().enumerate() {
        let part = f64::from(u32::try_from(demand.len() - done).unwrap());
        entitled[*caller] = demand[*caller].min(units / part);
        units -= entitled[*caller];
    }
    entitled
}

/// Jain's index of what the callers have had, relative to what they are entitled to in each span, and the part of the units that
/// was used of those that could be used.
fn fairness(
    calls: &[(u64, usize)],
    passed: &[(u64, usize)],
    callers: usize,
    [count, span]: [u64; 2],
) -> (f64, f64) {
    let burst = if span >= 60_000 { count } else { 0 };
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let most = (count * span / 1000 + burst) as f64;
    let (mut parts, mut usable) = (vec![0.0; callers], 0.0);
    for demand in counted(calls, callers, span).values() {
        let units = most.min(demand.iter().sum());
        usable += units;
        entitled(demand, units).iter().zip(&mut parts).for_each(|(part, sum)| *sum += part);
    }
    let had = counted(passed, callers, u64::MAX).remove(&0).unwrap();
    let used: f64 = had.iter().sum();
    let ratios = had.iter().zip(&parts).filter(|(_, part)| **part > 0.0).map(|(had, part)| had / part);
    let (sum, squares, number) = ratios.fold((0.0, 0.0, 0.0), |(sum, squares, number), ratio| {
        (sum + ratio, squares + ratio * ratio, number + 1.0)
    });
    (sum * sum / (number * squares), used / usable)
}

/// Calls of callers at random times, with the mean rate per second of each, from one time to another in seconds.
fn random_calls(seed: u64, callers: impl IntoIterator<Item = (f64, u64, u64)>) -> Vec<(u64, usize)> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut calls = Vec::new();
    for (caller, (rate, from, to)) in callers.into_iter().enumerate() {
        let mut now = Duration::from_secs(from);
        loop {
            now += Duration::from_secs_f64(-(1.0 - random.f64()).ln() / rate);
            if now >= Duration::from_secs(to) {
                break;
            }
            calls.push((u64::try_from(now.as_millis()).unwrap(), caller));
        }
    }
    calls.sort_unstable();
    calls
}

/// 180 callers at 0.5/s and 20 at 10/s, on 100/s for 5 minutes.
#[test]
fn noisy_neighbours_get_equal_parts() {
    for seed in 1..=10 {
        let callers = (0..200).map(|caller| (if caller < 180 { 0.5 } else { 10.0 }, 0, 300));
        let calls = random_calls(seed, callers);
        let (jain, used) = fairness(&calls, &passing(&calls, 100, true), 200, [100, 300_000]);
        println!("noisy neighbours, seed {seed}: Jain {jain:.4}, {:.2} % used", 100.0 * used);
        assert!(jain >= 0.98 && used >= 0.99, "seed {seed}: {jain} {used}");
        if seed == 1 {
            let (jain, used) = fairness(&calls, &passing(&calls, 100, false), 200, [100, 300_000]);
            println!("without `fair`: Jain {jain:.4}, {:.2} % used", 100.0 * used);
            assert!(jain < 0.3, "{jain} {used}");
        }
    }
}

/// 18 callers at 1/s and 2 at 10/s, at regular times, on 20/s for 2 minutes.
#[test]
fn two_greedy_callers_among_eighteen_get_their_part() {
    for seed in 1..=10 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut calls = Vec::new();
        for caller in 0..20 {
            let (period, calls_of_caller) = if caller < 18 { (1000, 120) } else { (100, 1200) };
            let first = random.u64(0..period);
            calls.extend((0..calls_of_caller).map(|call| (first + call * period, caller)));
        }
        calls.sort_unstable();
        let (jain, used) = fairness(&calls, &passing(&calls, 20, true), 20, [20, 120_000]);
        println!("18 + 2, seed {seed}: Jain {jain:.4}, {:.2} % used", 100.0 * used);
        assert!(jain >= 0.98 && used >= 0.99, "seed {seed}: {jain} {used}");
    }
}

/// 100 callers at 1/s for 6 minutes, and 10 at 30/s for 3 minutes of them, on 120/s. The parts are those of each 30 s.
#[test]
fn a_surge_gets_what_the_others_leave() {
    for seed in 1..=10 {
        let callers = (0..110).map(|caller| if caller < 100 { (1.0, 0, 360) } else { (30.0, 90, 270) });
        let calls = random_calls(seed, callers);
        let (jain, used) = fairness(&calls, &passing(&calls, 120, true), 110, [120, 30_000]);
        println!("surge, seed {seed}: Jain {jain:.4}, {:.2} % used", 100.0 * used);
        assert!(jain >= 0.98 && used >= 0.99, "seed {seed}: {jain} {used}");
    }
}

/// Twenty callers ask every 10 ms, in random order, each from its own time on. Returns when the caller was first served, and the
/// longest time for which it was not, both in ms.
fn waits(from: [u64; 20], caller: usize) -> [u64; 2] {
    let limit = Limit::token_bucket(20, ms(1000));
    let (clock, mut random) = (ManualClock::new(), fastrand::Rng::with_seed(1));
    let store = MemoryStore::with_clock(clock.clone());
    let (mut served, mut first, mut longest) = (from[caller], None, 0);
    for now in (0..60_000).step_by(10) {
        clock.set(ms(now + 1_000_000));
        let mut asking: Vec<usize> = (0..from.len()).filter(|other| from[*other] <= now).collect();
        random.shuffle(&mut asking);
        for other in asking {
            let request = TestRequest::new(0, limit, 1).with_caller(other as u64 + 1);
            if decide(&store, &request).is_allowed() && other == caller {
                first = first.or(Some(now - served));
                longest = longest.max(now - served);
                served = now;
            }
        }
    }
    [first.unwrap(), longest.max(60_000 - served)]
}

#[test]
fn neither_newcomers_nor_old_callers_starve() {
    let mut from = [15_000; 20];
    from[0] = 0;
    let [_, longest] = waits(from, 0);
    assert!(longest <= 3000, "a caller that was alone for 15 s waits for {longest} ms when 19 others come");
    for caller in 1..20 {
        let [first, _] = waits(from, caller);
        assert!(first <= 2000, "one of 19 newcomers, {caller}, waits for {first} ms beside one old caller");
    }
    for caller in 0..20 {
        let from = std::array::from_fn(|other| if other == caller { 15_000 } else { 0 });
        let [first, _] = waits(from, caller);
        assert!(first <= 2000, "newcomer {caller} waits for {first} ms beside 19 old callers");
    }
}

//! Callers that share a bucket: the scripts and their Rust twin agree.

use crate::harness::{CLOCK, TestRequest, Twins, decide, operations, seed};
use crate::models::random::mixed_traffic::ms;
use ratelimit::Limit;
use ratelimit::store::Mode;

/// Random calls of callers on one bucket, in which units are scarce.
pub(super) struct Calls {
    random: fastrand::Rng,
    pub(super) limit: Limit,
    pub(super) callers: u64,
    pub(super) now: u64,
}

impl Calls {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let count: u32 = random.choice([1, 3, 20, 100, 1000]).unwrap();
        let burst = random.choice([1, 2, count, 5 * count, count.div_ceil(2)]).unwrap();
        let time = random.choice([10, 1000, 60_000]).unwrap();
        let limit = if random.bool() {
            Limit::token_bucket(count, ms(time)).borrow(random.choice([0, 0, 3]).unwrap())
        } else {
            Limit::leaky_bucket(count, ms(time))
        };
        let callers = random.choice([1, 3, 50]).unwrap();
        Self { random, limit: limit.burst(burst), callers, now: 1_000_000_000_000 }
    }

    /// Advances the time in ms, and returns the next request.
    pub(super) fn next(&mut self) -> TestRequest {
        let random = &mut self.random;
        let far = random.u64(1..2 * u64::try_from(self.limit.time().as_millis()).unwrap());
        let steps = if random.u32(0..10) < 3 { [0, 0, 1, 5, far] } else { [0, 0, 0, 1, 1] };
        self.now += random.choice(steps).unwrap();
        let any = random.u32(1..=self.limit.capacity());
        let cost = random.choice([1, 1, 1, 2, any]).unwrap();
        let keep = if random.u32(0..20) == 0 { random.u32(0..3) } else { 0 };
        let caller = 1 + random.u64(0..self.callers);
        TestRequest::new(0, self.limit, cost).with_keep(keep).with_caller(caller)
    }
}

/// Makes random calls on both stores, each alone or up to eight together. Returns the first call on which they differ.
async fn first_difference(twins: &mut Twins, seed: u64, rounds: u64, is_alone: bool) -> Option<String> {
    for round in 0..rounds {
        let mut calls = Calls::new(seed + round);
        twins.clear();
        for _ in 0..300 {
            let first = calls.next();
            twins.set_clock(calls.now * 1000);
            let mut requests = vec![first];
            for _ in 0..if is_alone { 0 } else { calls.random.usize(0..8) } {
                let (now, next) = (calls.now, calls.next());
                calls.now = now;
                requests.push(next);
            }
            if !is_alone && calls.random.u32(0..8) == 0 {
                requests.truncate(1);
                requests[0].with_next = true;
                requests.push(TestRequest::new(1, Limit::counter(3, ms(5)), 1));
            }
            let modes = [Mode::Check, Mode::Check, Mode::Charge, Mode::Peek];
            let mode = calls.random.choice(modes).unwrap();
            let by_memory = decide(&twins.memory, mode, &requests).await;
            let by_script = decide(&twins.redis, mode, &requests).await;
            if by_script.as_ref().ok() != by_memory.as_ref().ok() {
                return Some(format!(
                    "{mode:?} {requests:?}: {by_script:?} by script, {by_memory:?} by memory"
                ));
            }
        }
    }
    None
}

#[tokio::test]
async fn the_twins_agree_about_callers_that_share_a_bucket() {
    let mut twins = Twins::start();
    let rounds = u64::try_from(operations(60_000)).unwrap() / 1500;
    assert_eq!(first_difference(&mut twins, seed(), rounds, false).await, None);
    assert_eq!(first_difference(&mut twins, seed(), rounds, true).await, None);
}

/// Mistakes in `lua/fair.lua` and `lua/decide.lua`: a text, and what replaces it.
const PLANTED: [(&str, &str); 11] = [
    ("if callers == 0 or total < size() then return end", "if true then return end"), // a round never ends
    ("own + (past - rest) / units * left + floor(rest * left / units)", "own + past"), // the last round does not fade
    ("floor(total / callers), floor(total_before / callers)", "0, 0"), // newcomers join with nothing
    ("number, sum = callers + 1, sum + had", "number = callers + 1"),  // the average lacks the newcomer
    ("return most < room and most or room", "return most"),            // above what the bucket can hold
    ("writes[1], is_read = { \"DEL\", current, previous }, true", "is_read = true"), // a full bucket forgets nobody
    ("if is_first then asked, seen[field] = asked + 1, window end", "asked, seen[field] = asked + 1, window"),
    ("current, previous, new, old = previous, current, old, new", ""), // the hashes are swapped
    ("if most > missing then most = missing end", ""), // equal callers leave units to each other
    ("if active > callers then active = callers end", ""),
    ("last + span == window and asked or 0, 0", "asked, 0"), // who has asked long ago counts as active
];

#[tokio::test]
async fn planted_mistakes_in_the_shares_are_noticed() {
    let mut twins = Twins::start();
    let [script, adjust] = ratelimit::__testing::scripts();
    for (from, to) in PLANTED {
        assert_eq!(script.matches(from).count(), 1, "{from}");
        let planted = script.replacen(from, to, 1);
        twins.redis = ratelimit::__testing::with_texts(&twins.url(), CLOCK, &planted, adjust).unwrap();
        let noticed = first_difference(&mut twins, 1, 60, false).await;
        assert!(noticed.is_some(), "not noticed: {to:?} instead of {from:?}");
    }
}

/// Mistakes in `lua/single/token_bucket.lua`, which decides about a call while units are not scarce.
const PLANTED_ALONE: [(&str, &str); 2] = [
    ("if most and room < most * time_ms then return nil end", "if most and room < 0 then return nil end"),
    ("if most and level == 0 then", "if false then"), // a full bucket forgets nobody
];

#[tokio::test]
async fn planted_mistakes_in_the_script_for_a_lone_call_are_noticed() {
    let mut twins = Twins::start();
    for (from, to) in PLANTED_ALONE {
        let texts = ratelimit::__testing::single_scripts().map(|(name, text)| {
            assert_eq!(text.matches(from).count(), usize::from(name == "token_bucket"), "{from}");
            (name, text.replacen(from, to, 1))
        });
        let texts = texts.each_ref().map(|(name, text)| (*name, &**text));
        twins.redis = ratelimit::__testing::with_single_scripts(&twins.url(), CLOCK, texts).unwrap();
        let noticed = first_difference(&mut twins, 1, 200, true).await;
        assert!(noticed.is_some(), "not noticed: {to:?} instead of {from:?}");
    }
}

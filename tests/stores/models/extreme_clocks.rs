//! Clocks near the ends of their range, and clocks that jump. The memory store still decides, and never admits too much.

use crate::harness::{TestRequest, decide, operations, seed};
use crate::models::random::extremes::{cost, limits, pause, try_out};
use ratelimit::clock::{Clock, ManualClock};
use ratelimit::store::Mode;
use ratelimit::{Algorithm, Limit, MemoryStore};
use std::time::Duration;

const END_US: u64 = u64::MAX;
const KEYS: usize = 3;

fn us(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// A random time of a clock: the start, a time far away, a time near the end, or the end.
fn moment(random: &mut fastrand::Rng, limit: &Limit) -> Duration {
    let (year, near) = (366 * 86_400_000_000, pause(random, limit));
    let moments = [0, 1, 1000, year, 1 << 53, END_US / 2, END_US - year, END_US - near, END_US - 1, END_US];
    us(random.choice(moments).unwrap())
}

#[tokio::test]
async fn decisions_are_plausible_when_the_clock_jumps() {
    let (mut random, clock) = (fastrand::Rng::with_seed(seed()), ManualClock::new());
    let mut permits = 1;
    for algorithm in Algorithm::ALL {
        let limits = limits(algorithm);
        for _ in 0..operations(6000) / 60 {
            let store = MemoryStore::with_clock(clock.clone());
            let mut stamps = vec![0, 1, END_US];
            let first = random.choice(&limits).copied().unwrap();
            for _ in 0..60 {
                // Mostly uses the same limit, and sometimes another limit on the same keys.
                let limit =
                    if random.u8(0..8) == 0 { random.choice(&limits).copied().unwrap() } else { first };
                match random.u8(0..3) {
                    0 => clock.set(moment(&mut random, &limit)),
                    _ => clock.advance(us(pause(&mut random, &limit))),
                }
                permits += 1;
                let key = random.usize(0..KEYS);
                let one = TestRequest::new(key, limit, cost(&mut random, &limit)).with_permit(permits);
                let stack = [TestRequest { with_next: true, ..one }, TestRequest { key: KEYS, ..one }];
                let requests = if random.u8(0..4) == 0 { &stack[..] } else { &stack[1..] };
                let more = try_out(&store, &mut random, requests, &stamps).await;
                stamps.extend(more);
            }
        }
    }
}

/// A clock whose time is too large for every limit.
struct Endless;

impl Clock for Endless {
    fn now(&self) -> Duration {
        Duration::MAX
    }
}

#[tokio::test]
async fn a_clock_at_its_end_admits_no_more_than_the_limit() {
    let mut permits = 1;
    for limit in Algorithm::ALL.into_iter().flat_map(limits) {
        if limit.capacity() > 10_000
            || limit.count().min(limit.capacity()) == 0
            || !limit.longest_wait().is_zero()
        {
            continue;
        }
        let store = MemoryStore::with_clock(Endless);
        let mut used = 0;
        for cost in
            [limit.capacity() / 2, 1, limit.capacity(), limit.capacity() - limit.capacity() / 2 - 1, 1]
        {
            permits += 1;
            let one = [TestRequest::new(0, limit, cost).with_permit(permits)];
            let decision = decide(&store, Mode::Charge, &one).await.unwrap()[0];
            used += if decision.is_allowed() { cost } else { 0 };
        }
        assert_eq!(used, limit.capacity(), "{limit}");
        let left = decide(&store, Mode::Peek, &[TestRequest::new(0, limit, 1)]).await.unwrap()[0];
        assert!(!left.is_allowed() && left.remaining() == 0, "{limit}: {left:?}");
    }
}

#[tokio::test]
async fn a_clock_that_is_moved_beyond_its_end_stays_there() {
    let clock = ManualClock::new();
    clock.advance(us(END_US - 1));
    clock.advance(us(5));
    assert_eq!(clock.now(), us(END_US));
    clock.advance(Duration::MAX);
    assert_eq!(clock.now(), us(END_US));
}

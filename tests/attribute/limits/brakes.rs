//! Overrides that tighten a limit. From one second after an override, all processes together admit at most the bound of the
//! tightened limit. Units that were on lease when the override arrived count towards this bound.

use crate::harness::{RemoteStore, limiter};
use fastrand::Rng;
use ratelimit::clock::ManualClock;
use ratelimit::overrides::LimitChange;
use ratelimit::{Algorithm, Limit, RateLimiter, Refill};
use std::time::Duration;

/// The time for which calls are counted, in ms.
const COUNTED: u64 = 2000;
/// The time between two rounds of calls, in ms.
const ROUND: u64 = 50;
/// The number of calls that each process makes in a round.
const CALLS: u64 = 20;

/// The numbers of a limit.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    count: u32,
    time_ms: u64,
    /// `None`: the burst equals the count.
    burst: Option<u32>,
    borrow: u32,
}

impl Numbers {
    fn any(random: &mut Rng) -> Self {
        let longest = (366 * 86_400_000) >> random.u32(0..28);
        Self {
            count: random.u32(2..4000),
            time_ms: random.u64(longest / 2..=longest),
            burst: random.bool().then(|| random.u32(1..4000)),
            borrow: random.choice([0, 0, 700]).unwrap(),
        }
    }

    /// Returns a limit of a random algorithm, with a lease if the algorithm supports leases. `None` if the numbers do not
    /// fit together.
    fn limit(&self, random: &mut Rng) -> Option<Limit> {
        let (count, time) = (self.count, Duration::from_millis(self.time_ms));
        let limit = match random.u8(0..8) {
            0..3 => Limit::try_counter(count, time),
            3 => Limit::try_sliding_window(count, time),
            4 => Limit::try_sliding_log(count, time),
            _ => {
                let limit = Limit::try_token_bucket(count, time).ok()?;
                let limit = self.burst.map_or(Ok(limit), |burst| limit.try_burst(burst)).ok()?;
                let refill = if random.bool() { Refill::Greedy } else { Refill::Interval };
                limit.try_borrow(self.borrow).and_then(|limit| limit.try_refill(refill))
            }
        };
        let limit = limit.ok()?;
        Some(limit.try_lease(random.u32(0..=limit.capacity() / 2)).unwrap_or(limit))
    }

    /// Makes some numbers tighter. Returns the change that sets these numbers.
    fn tighten(&mut self, random: &mut Rng) -> LimitChange {
        let mut change = LimitChange::new();
        if random.u8(0..4) > 0 {
            let most = self.count >> random.u32(0..12);
            self.count = random.u32(0..=most);
            change = change.count(self.count);
        }
        if random.u8(0..4) == 0 {
            self.time_ms = random.u64(self.time_ms..=366 * 86_400_000);
            change = change.time(Duration::from_millis(self.time_ms));
        }
        if random.u8(0..4) == 0 {
            let burst = random.u32(0..=self.burst.unwrap_or(self.count));
            self.burst = Some(burst);
            change = change.burst(burst);
        }
        if random.u8(0..4) == 0 {
            change = change.wait(Duration::from_millis(random.u64(0..3000)));
        }
        if change == LimitChange::new() { change.count(self.count) } else { change }
    }

    /// Returns the most units that the limit may admit in the counted time. Leased units can exceed the capacity of a bucket
    /// by a quarter.
    fn bound(&self, algorithm: Algorithm) -> u64 {
        let count = u64::from(self.count);
        if algorithm != Algorithm::TokenBucket {
            return count * (COUNTED.div_ceil(self.time_ms) + 1);
        }
        let capacity = u64::from(self.burst.unwrap_or(self.count) + self.borrow);
        if count == 0 { 0 } else { capacity + capacity / 4 + count * (COUNTED / self.time_ms + 1) }
    }
}

/// Makes calls from all processes for `ms` milliseconds. Returns how many calls were admitted.
async fn admitted(processes: &[RateLimiter], limit: &Limit, clock: &ManualClock, ms: u64) -> u64 {
    let mut admitted = 0;
    for _ in 0..ms / ROUND {
        for process in processes {
            for _ in 0..CALLS {
                admitted += u64::from(process.check(limit, "k").await.is_ok());
            }
        }
        clock.advance(Duration::from_millis(ROUND));
        tokio::time::advance(Duration::from_millis(ROUND)).await;
    }
    admitted
}

#[tokio::test(start_paused = true)]
async fn every_tighter_override_holds_after_a_second() {
    let mut random = Rng::with_seed(23);
    let mut braked = 0;
    while braked < 50 {
        let mut numbers = Numbers::any(&mut random);
        let Some(limit) = numbers.limit(&mut random) else { continue };
        numbers.burst = numbers.burst.filter(|burst| *burst != numbers.count);
        let clock = ManualClock::new();
        let store = RemoteStore::with_clock(&clock).with_overrides();
        let processes = [limiter(store.clone()).await, limiter(store.clone()).await];
        // After these calls the processes hold leased units, and the limit still has free units.
        admitted(&processes, &limit, &clock, random.u64(0..300)).await;
        let change = numbers.tighten(&mut random);
        limiter(store.clone()).await.overrides().set("k", change).await.unwrap();
        admitted(&processes, &limit, &clock, 1000).await;
        // Removes the units of earlier calls. Because of these units, the limit could refuse calls that a wrong limit would
        // admit, so the test would not notice the wrong limit.
        processes[0].reset(&change.apply(&limit).unwrap_or(limit), "k").await.unwrap();
        let (passed, bound) =
            (admitted(&processes, &limit, &clock, COUNTED).await, numbers.bound(limit.algorithm()));
        assert!(passed <= bound, "{passed} of at most {bound} admitted by {limit} with {change}");
        braked += u64::from(bound < COUNTED / ROUND * 2 * CALLS);
    }
}

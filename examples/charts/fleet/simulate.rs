//! Simulates one strategy: a real limiter for each process, on simulated time. All strategies receive the same calls.

use crate::traffic::{ROUND, Traffic};
use crate::wire::{ROUND_TRIP, Redis, Wire};
use ratelimit::clock::ManualClock;
use ratelimit::{Admitted, Limit, MemoryStore, OnError, RateLimiter, Rejection};
use std::error::Error;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::runtime::Builder;

/// The time at the start that is not measured, in milliseconds. In this time, a full bucket admits a burst, and leases grow.
pub(crate) const START: u32 = ROUND;

const MS: Duration = Duration::from_millis(1);

/// The features of the limiter that a simulation uses.
#[derive(Clone, Copy)]
pub(crate) struct Strategy {
    pub(crate) name: &'static str,
    pub(crate) group_commit: bool,
    pub(crate) deny_cache: bool,
}

impl Strategy {
    pub(crate) const EACH: Self =
        Self { name: "one call per decision", group_commit: false, deny_cache: false };
    pub(crate) const TOGETHER: Self = Self { name: "group commit", group_commit: true, ..Self::EACH };
    pub(crate) const REMEMBERING: Self =
        Self { name: "+ deny cache (the default)", deny_cache: true, ..Self::TOGETHER };
}

/// The counted calls of a simulation.
#[derive(Default)]
pub(crate) struct Outcome {
    /// The script calls in Redis, for decisions and returned units.
    pub(crate) redis_calls: u64,
    pub(crate) calls: u64,
    /// The admitted calls of each millisecond, including the start.
    pub(crate) passed: Vec<u32>,
    /// The calls that were admitted in the process, without a request to Redis.
    pub(crate) passed_here: u64,
    pub(crate) refused_here: u64,
}

impl Outcome {
    fn note(&mut self, now: u32, here: bool, admitted: bool) {
        if admitted && let Some(moment) = self.passed.get_mut(index(now)) {
            *moment += 1;
        }
        if now >= START {
            self.calls += 1;
            let decided = if admitted { &mut self.passed_here } else { &mut self.refused_here };
            *decided += u64::from(here);
        }
    }

    /// Returns the number of calls that were admitted after the start.
    pub(crate) fn admitted(&self) -> u64 {
        self.after_start().iter().copied().map(u64::from).sum()
    }

    pub(crate) fn after_start(&self) -> &[u32] {
        &self.passed[index(START)..]
    }
}

/// Computes the best possible result: each call is decided in Redis, without delay.
pub(crate) fn ideal(limit: &Limit, traffic: &Traffic) -> Result<Outcome, Box<dyn Error>> {
    let mut outcome = Outcome { passed: vec![0; traffic.calls.len()], ..Outcome::default() };
    on_simulated_time(async {
        let clock = ManualClock::new();
        let store = MemoryStore::with_clock(clock.clone());
        let limiter = RateLimiter::builder().store(store).build()?;
        for (now, calls) in (0..).zip(&traffic.calls) {
            for _ in calls {
                if let Some(admitted) = decided(&limiter.check(limit, "calls").await) {
                    outcome.note(now, true, admitted);
                }
            }
            clock.advance(MS);
        }
        Ok(outcome)
    })
}

pub(crate) fn run(strategy: Strategy, limit: &Limit, traffic: &Traffic) -> Result<Outcome, Box<dyn Error>> {
    on_simulated_time(call_all(strategy, *limit, traffic))
}

/// Runs a future on one thread with a paused clock, so that all runs give the same result.
fn on_simulated_time<T>(work: impl Future<Output = Result<T, Box<dyn Error>>>) -> Result<T, Box<dyn Error>> {
    Builder::new_current_thread().enable_time().start_paused(true).build()?.block_on(work)
}

async fn call_all(strategy: Strategy, limit: Limit, traffic: &Traffic) -> Result<Outcome, Box<dyn Error>> {
    let redis = Redis::new();
    let mut processes = Vec::new();
    for _ in 0..traffic.processes {
        let builder = RateLimiter::builder().store(Wire::new(&redis, strategy.group_commit));
        processes.push(builder.deny_cache(strategy.deny_cache).on_error(OnError::Deny).connect().await?);
    }
    let outcome = Outcome { passed: vec![0; traffic.calls.len()], ..Outcome::default() };
    let outcome = Arc::new(Mutex::new(outcome));
    let mut calls_before = 0;
    for (now, callers) in (0..).zip(&traffic.calls) {
        if now == START {
            calls_before = redis.calls();
        }
        for caller in callers {
            call(&processes[*caller], limit, now, &outcome);
        }
        // The paused clock advances when all tasks are idle.
        tokio::time::sleep(MS).await;
    }
    let mut outcome = std::mem::take(&mut *outcome.lock().unwrap_or_else(PoisonError::into_inner));
    outcome.redis_calls = redis.calls() - calls_before;
    Ok(outcome)
}

/// Makes a call and counts its decision, immediately or after the round trip to Redis.
fn call(process: &RateLimiter, limit: Limit, now: u32, outcome: &Arc<Mutex<Outcome>>) {
    let process = process.clone();
    let mut check = Box::pin(async move { process.check(&limit, "calls").await });
    let note = |outcome: &Mutex<Outcome>, now, here, admitted| {
        outcome.lock().unwrap_or_else(PoisonError::into_inner).note(now, here, admitted);
    };
    if let Poll::Ready(answer) = check.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        if let Some(admitted) = decided(&answer) {
            note(outcome, now, true, admitted);
        }
        return;
    }
    let (outcome, started) = (Arc::clone(outcome), tokio::time::Instant::now());
    tokio::spawn(async move {
        if let Some(admitted) = decided(&check.await) {
            // In this model, Redis decides when the call is sent, one round trip before the reply arrives.
            let since = started.elapsed().saturating_sub(ROUND_TRIP).as_millis();
            note(&outcome, now + u32::try_from(since).unwrap_or(u32::MAX), false, admitted);
        }
    });
}

/// Returns whether a call was admitted. `None` if it was not decided, which cannot happen in this model.
fn decided(answer: &Result<Admitted, Rejection>) -> Option<bool> {
    match answer {
        Ok(_) => Some(true),
        Err(rejection) => rejection.decision().map(|_| false),
    }
}

pub(crate) fn index(ms: u32) -> usize {
    usize::try_from(ms).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LIMITS;
    use crate::measure::Measured;

    #[test]
    fn each_strategy_sends_fewer_calls_and_uses_nearly_all_units() {
        let traffic = Traffic::new(20, 10_000, 2 * ROUND, 7);
        for limit in LIMITS {
            let best = ideal(&limit, &traffic).unwrap();
            let measured =
                |strategy, limit| Measured::of(&run(strategy, &limit, &traffic).unwrap(), &best, &limit);
            let strategies = [
                measured(Strategy::EACH, limit),
                measured(Strategy::TOGETHER, limit),
                measured(Strategy::REMEMBERING, limit),
                measured(Strategy::REMEMBERING, limit.lease_auto()),
            ];
            for pair in strategies.windows(2) {
                assert!(pair[1].redis_calls <= pair[0].redis_calls, "{limit}");
            }
            assert!(
                strategies[3].redis_calls * 5.0 < strategies[0].redis_calls,
                "{limit}: {}",
                strategies[3].redis_calls
            );
            for strategy in strategies {
                assert!(
                    strategy.under_use < 5.0 && strategy.over_use < 25.0,
                    "{limit}: {}, {}",
                    strategy.under_use,
                    strategy.over_use
                );
                let counter = limit.algorithm() == ratelimit::Algorithm::Counter;
                assert!(!counter || strategy.over_use == 0.0, "{limit}: {}", strategy.over_use);
            }
        }
    }

    #[test]
    fn a_seed_gives_the_same_numbers() {
        let traffic = Traffic::new(50, 2000, 2 * ROUND, 7);
        let limit = LIMITS[0].lease_auto();
        let [one, other] = [0, 1].map(|_| run(Strategy::REMEMBERING, &limit, &traffic).unwrap());
        assert_eq!((one.redis_calls, one.passed), (other.redis_calls, other.passed));
    }
}

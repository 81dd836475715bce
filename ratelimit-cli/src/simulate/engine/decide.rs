//! Decides about all calls of traffic under one limit, in a separate memory store. Each call is decided at its simulated time.

use super::grid::Grid;
use super::outcome::{Outcome, Recent};
use crate::simulate::numbers::index;
use crate::simulate::traffic::{Call, Traffic};
use futures_util::FutureExt as _;
use ratelimit::clock::ManualClock;
use ratelimit::store::{Mode, Request, Store, StoreKey};
use ratelimit::{Decision, Limit, MemoryStore};
use std::error::Error;

/// Decides about all calls. Each call costs `cost` units. Runs `each` with every call and the decision about it.
///
/// # Errors
///
/// If the store reports an error, or is too small for the callers.
pub(crate) fn decide(
    limit: &Limit,
    traffic: &Traffic,
    cost: u32,
    grid: Grid,
    mut each: impl FnMut(Call, &Decision),
) -> Result<Outcome, Box<dyn Error>> {
    let keys: Vec<StoreKey> = traffic.callers.iter().map(|caller| StoreKey::new(caller)).collect();
    // The store has room for more keys than callers, because a quarter of its capacity is for logs, and shards fill unevenly.
    let room = keys.len().saturating_mul(8).max(100_000);
    let clock = ManualClock::new();
    let store = MemoryStore::with_clock(clock.clone()).with_max_keys(room);
    let mode = if limit.longest_wait().is_zero() { Mode::Check } else { Mode::Charge };
    let mut outcome = Outcome::new(*limit, keys.len(), grid);
    let mut recent = vec![Recent::default(); keys.len()];
    for call in &traffic.calls {
        clock.set(traffic.origin.unix_time(call.at));
        let caller = index(call.caller.into());
        let request = Request::new(keys[caller].clone(), *limit, cost);
        let reply = store.decide(mode, &[&request]).now_or_never();
        let decisions = reply.ok_or("the memory store did not reply at once")??;
        let decision = decisions.first().ok_or("the memory store made no decision")?;
        outcome.note(*call, decision, cost, &mut recent[caller]);
        each(*call, decision);
    }
    if store.evictions() > 0 {
        return Err("the memory store has no room for all callers; select fewer of them".into());
    }
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::time::{MINUTE, SECOND};
    use crate::simulate::traffic::Origin;
    use crate::simulate::traffic::callers::numbered;
    use jiff::Timestamp;
    use jiff::tz::Offset;

    fn traffic(calls: impl IntoIterator<Item = (u64, u32)>, callers: u32) -> Traffic {
        let calls: Vec<Call> = calls.into_iter().map(|(at, caller)| Call { at, caller }).collect();
        let length = calls.last().map_or(0, |call| call.at) + 1;
        Traffic {
            words: String::new(),
            calls,
            spent: Vec::new(),
            callers: numbered(callers),
            length,
            origin: Origin::Zero,
            notes: Vec::new(),
        }
    }

    fn outcome(limit: &str, traffic: &Traffic, cost: u32) -> Outcome {
        let grid = Grid::covering(traffic.length, 60);
        decide(&limit.parse().unwrap(), traffic, cost, grid, |_, _| {}).unwrap()
    }

    #[test]
    fn a_counter_admits_twice_its_count_around_the_edge_of_a_window() {
        let late = (0..300).map(|call| 59 * SECOND + call * 10_000);
        let traffic = traffic([0].into_iter().chain(late).map(|at| (at, 0)), 1);
        let counter = outcome("counter count=100 time=1m", &traffic, 1);
        assert_eq!((counter.admitted, counter.worst), (200, 199));
        let log = outcome("sliding_log count=100 time=1m", &traffic, 1);
        assert_eq!(log.worst, 100);
    }

    #[test]
    fn each_caller_has_its_own_limit() {
        let traffic = traffic((0..40).map(|call| (call, u32::try_from(call % 4).unwrap())), 4);
        let outcome = outcome("token_bucket count=3 time=1m", &traffic, 1);
        assert_eq!((outcome.admitted, outcome.callers_refused, outcome.worst), (12, 4, 3));
    }

    #[test]
    fn calls_of_a_queue_wait_and_start_evenly_spaced() {
        let traffic = traffic([(0, 0); 9], 1);
        let outcome = outcome("leaky_bucket count=1 time=1s wait=4s", &traffic, 1);
        assert_eq!((outcome.admitted, outcome.waited, outcome.longest_wait), (5, 4, 4 * SECOND));
        assert_eq!((outcome.worst, outcome.series.later), (1, 4));
    }

    #[test]
    fn a_window_of_the_calendar_follows_the_time_of_the_log() {
        // 23:59:50 on 31 January 2026 in UTC.
        let start = Timestamp::from_second(1_769_903_990).unwrap();
        let calls = [0, 5, 9, 10, 15].map(|second| (second * SECOND, 0));
        let log = Traffic { origin: Origin::Log { start, zone: Offset::UTC }, ..traffic(calls, 1) };
        for (limit, admitted) in [
            ("counter count=1 time=month", 2),
            ("counter count=1 time=month zone=+01:00", 1),
            ("counter count=1 time=hour zone=-08:00", 2),
        ] {
            assert_eq!(outcome(limit, &log, 1).admitted, admitted, "{limit}");
        }
    }

    #[test]
    fn a_block_refuses_until_its_end_and_grows() {
        let calls = [0, 1, 2, 11, 12, 13, 32, 33].map(|second| (second * SECOND, 0));
        let outcome = outcome("counter count=1 time=2s block=10s,20s", &traffic(calls, 1), 1);
        // The refusal at 1 s blocks the caller until 11 s, and the refusal at 12 s until 32 s.
        assert_eq!((outcome.admitted, outcome.refused), (3, 5));
    }

    #[test]
    fn a_cost_above_the_capacity_never_passes() {
        let traffic = traffic([(0, 0), (MINUTE, 0)], 1);
        let outcome = outcome("counter count=2 time=1s", &traffic, 3);
        assert_eq!((outcome.admitted, outcome.never), (0, 2));
    }
}

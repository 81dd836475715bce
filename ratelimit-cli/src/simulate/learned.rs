//! Compares two charges for calls whose real cost is known later: their ceilings, and estimates that learn.
//!
//! A call of the log that is refused is lost, and has no effect. An admitted call runs for its seconds, and is then settled.

use super::numbers::{float, index, percent};
use super::time::{SECOND, micros, show};
use super::traffic::{Spent, Traffic};
use futures_util::FutureExt as _;
use ratelimit::clock::ManualClock;
use ratelimit::learn::{Estimate, Estimator, InFlight};
use ratelimit::store::{Adjustment, Change, Mode, Request, Store, StoreKey};
use ratelimit::{Limit, MemoryStore};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::error::Error;

/// What a reader of the comparison must know.
pub(crate) const NOTE: &str = "The table and the chart charge `--cost`. `learn` was simulated as in one process, with one class for all calls.";

/// What the admitted calls have used.
#[derive(Default)]
struct Use {
    admitted: u64,
    units: u64,
    /// The most units that were settled for one caller within the limit's `time`.
    worst: u64,
}

/// A call that runs.
struct Running {
    caller: usize,
    spent: Spent,
    charged: u32,
    stamp: u64,
    in_flight: Option<InFlight>,
}

/// Describes what calls use if they are charged their ceilings, and if they are charged estimates.
///
/// # Errors
///
/// If the store reports an error.
pub(crate) fn compare(limit: &Limit, traffic: &Traffic) -> Result<String, Box<dyn Error>> {
    let wanted = traffic.spent.iter().map(|spent| u64::from(spent.used)).sum();
    let words = |used: &Use| {
        let share = percent(used.units, wanted);
        let worst = float(used.worst) / f64::from(limit.count().max(1));
        let time = show(micros(limit.time()));
        format!(
            "{} calls pass and use {} units ({share}), at most {} of one caller in {time} ({worst:.2}x)",
            used.admitted, used.units, used.worst
        )
    };
    let ceilings = simulate(limit, traffic, None)?;
    // An estimator lives as long as the process, like the static of an attribute.
    let learned = simulate(limit, traffic, Some(Box::leak(Box::default())))?;
    Ok(format!("charged their ceilings, {}; charged by `learn`, {}.", words(&ceilings), words(&learned)))
}

fn simulate(
    limit: &Limit,
    traffic: &Traffic,
    estimator: Option<&'static Estimator>,
) -> Result<Use, Box<dyn Error>> {
    let keys: Vec<StoreKey> = traffic.callers.iter().map(|caller| StoreKey::new(caller)).collect();
    let clock = ManualClock::new();
    let store =
        MemoryStore::with_clock(clock.clone()).with_max_keys(keys.len().saturating_mul(8).max(100_000));
    let (mut used, mut windows) = (Use::default(), vec![Window::default(); keys.len()]);
    // Calls that end at the same time end in the order of their starts.
    let (mut ends, mut running) = (BinaryHeap::new(), Vec::new());
    let starts = traffic.calls.iter().zip(&traffic.spent).map(Some).chain([None]);
    for start in starts {
        while let Some(Reverse((end, of))) =
            ends.peek().copied().filter(|Reverse((end, _))| start.is_none_or(|(call, _)| *end <= call.at))
        {
            ends.pop();
            clock.set(traffic.origin.unix_time(end));
            let call: Option<Running> = std::mem::take(&mut running[of]);
            let Some(call) = call else { continue };
            settle(&store, &keys[call.caller], limit, &call)?;
            used.units += u64::from(call.spent.used);
            used.worst = used.worst.max(windows[call.caller].add(end, call.spent.used, micros(limit.time())));
            if let Some(in_flight) = call.in_flight {
                in_flight.settled(call.spent.used);
            }
        }
        let Some((call, spent)) = start else { continue };
        clock.set(traffic.origin.unix_time(call.at));
        let estimate = estimator.map(|estimator| estimator.estimate(spent.ceiling));
        let charged = estimate.map_or(spent.ceiling, |estimate| estimate.units());
        let caller = index(call.caller.into());
        let request = Request::new(keys[caller].clone(), *limit, charged);
        let reply = store.decide(Mode::Charge, &[&request]).now_or_never();
        let decisions = reply.ok_or("the memory store did not reply at once")??;
        let decision = decisions.first().ok_or("the memory store made no decision")?;
        if decision.is_allowed() {
            used.admitted += 1;
            ends.push(Reverse((
                call.at + micros(decision.delay()) + u64::from(spent.seconds) * SECOND,
                running.len(),
            )));
            let in_flight = estimate.map(Estimate::begin);
            running.push(Some(Running {
                caller,
                spent: *spent,
                charged,
                stamp: decision.stamp(),
                in_flight,
            }));
        }
    }
    Ok(used)
}

fn settle(store: &impl Store, key: &StoreKey, limit: &Limit, call: &Running) -> Result<(), Box<dyn Error>> {
    let change = if call.spent.used < call.charged { Change::Give(call.stamp) } else { Change::Take };
    let units = call.spent.used.abs_diff(call.charged);
    if units > 0 {
        let reply = store.adjust(&[Adjustment::new(key.clone(), *limit, units, change)]).now_or_never();
        let _ = reply.ok_or("the memory store did not reply at once")??;
    }
    Ok(())
}

/// The units of one caller that were settled lately.
#[derive(Clone, Default)]
struct Window {
    settled: VecDeque<(u64, u32)>,
    units: u64,
}

impl Window {
    /// Adds units. Returns the units within the `time` that ends now.
    fn add(&mut self, now: u64, units: u32, time: u64) -> u64 {
        self.settled.push_back((now, units));
        self.units += u64::from(units);
        while let Some((at, units)) = self.settled.front().copied()
            && now - at >= time
        {
            self.units -= u64::from(units);
            self.settled.pop_front();
        }
        self.units
    }
}

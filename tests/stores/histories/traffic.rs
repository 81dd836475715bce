//! Callers that call continuously and record the outcomes. They use one quota after another, and limits with short times.

use super::history::{Call, History, Outcome, Summary, call};
use super::linearize::{at_some_time, in_any_order};
use crate::models::definitions::{Kind, Numbers};
use ratelimit::RateLimiter;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use support::MS;
use tokio::task::JoinSet;

const DAY_MS: u64 = 86_400_000;
/// The limit of each quota key, which is called until it is used up. Its time is longer than a run, so the exact times of the
/// calls do not matter.
const QUOTA: Numbers = Numbers::new(Kind::Counter, 400, DAY_MS);
/// The limits with short times. A counter is not one of these limits, because a call without a reply may have begun a window.
/// The next window would then begin earlier than the search assumes.
const TIMED: [(&str, Numbers); 2] =
    [("log", Numbers::new(Kind::Log, 20, 100)), ("bucket", Numbers::new(Kind::Greedy, 30, 100).burst(10))];
const CALLERS_OF_EACH: usize = 4;

type Calls = BTreeMap<String, Vec<Call>>;

/// The callers of several limiters. Each limiter has its own connections, like a process.
pub(super) struct Traffic {
    stop: Arc<AtomicBool>,
    callers: JoinSet<Calls>,
}

impl Traffic {
    pub(super) fn start(limiters: &[RateLimiter]) -> Self {
        let (stop, round) = (Arc::<AtomicBool>::default(), Arc::<AtomicU32>::default());
        let mut callers = JoinSet::new();
        for limiter in limiters {
            for _ in 0..CALLERS_OF_EACH {
                callers.spawn(make_calls(limiter.clone(), Arc::clone(&stop), Arc::clone(&round)));
            }
        }
        Self { stop, callers }
    }

    /// Stops the callers, and checks the history of each key. `losses` are the times at which servers may have lost units.
    pub(super) async fn verdict(self, losses: &[u64]) -> Summary {
        self.stop.store(true, Ordering::Relaxed);
        let mut all = Calls::new();
        for calls in self.callers.join_all().await {
            for (key, calls) in calls {
                all.entry(key).or_default().extend(calls);
            }
        }
        let mut summary = Summary::default();
        for (key, calls) in all {
            let history = History { calls, losses: losses.to_vec() };
            let timed = TIMED.iter().find(|(name, _)| *name == key);
            let verdict = match timed {
                Some((_, numbers)) => at_some_time(*numbers, &history).map(|()| 0),
                None => in_any_order(QUOTA, &history),
            };
            summary.add(&history, verdict.unwrap_or_else(|error| panic!("{key}: {error}")));
        }
        summary
    }
}

async fn make_calls(limiter: RateLimiter, stop: Arc<AtomicBool>, round: Arc<AtomicU32>) -> Calls {
    let (quota, timed) = (QUOTA.limit(), TIMED.map(|(name, numbers)| (name, numbers.limit())));
    let mut calls = Calls::new();
    while !stop.load(Ordering::Relaxed) {
        let now = round.load(Ordering::Relaxed);
        let key = format!("quota-{now}");
        let made = call(&limiter, &quota, &key).await;
        if matches!(made.outcome, Outcome::Refused(_)) {
            round.fetch_max(now + 1, Ordering::Relaxed);
        }
        let mut has_failed = made.outcome == Outcome::Unknown;
        calls.entry(key).or_default().push(made);
        for (name, limit) in &timed {
            let made = call(&limiter, limit, name).await;
            has_failed |= made.outcome == Outcome::Unknown;
            calls.entry((*name).to_owned()).or_default().push(made);
        }
        // After a failure, waits longer. Each call without a reply makes more orders possible, so there should be few.
        tokio::time::sleep(if has_failed { 20 * MS } else { MS }).await;
    }
    calls
}

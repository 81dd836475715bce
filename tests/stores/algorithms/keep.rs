//! Calls with three times the load that the limit admits. Most calls keep units free for a few important calls. The important
//! calls still pass, and all calls together use up the limit.

use crate::harness::{TestAdjustment, TestRequest, Twins, seed};
use ratelimit::Limit;
use ratelimit::store::{Change, Mode};
use std::collections::VecDeque;
use support::{MINUTE, SECOND};

const COUNT: u32 = 4000;
/// The units that all other calls leave to the important calls: 0.5 % of the limit. This is twice the number of units that the
/// important calls need in an average minute.
const KEEP: u32 = COUNT / 200;
const MINUTES: u32 = 4;
const TICKS_PER_MINUTE: u32 = 600;
const CALLS_PER_TICK: u32 = 3 * COUNT / TICKS_PER_MINUTE;

/// The numbers of admitted calls, of important calls, and of admitted important calls.
#[derive(Debug, Default)]
struct Tally {
    admitted: u32,
    matter: u32,
    matter_admitted: u32,
}

/// Makes the calls of [`MINUTES`] minutes on both stores, whose decisions must be equal. A permit is held for a minute.
async fn overload(limit: Limit) -> Tally {
    let (mut twins, mut random, mut tally) =
        (Twins::start(), fastrand::Rng::with_seed(seed()), Tally::default());
    let mut held = VecDeque::new();
    for tick in 0..MINUTES * TICKS_PER_MINUTE {
        twins.set_clock(1_763_000_000_000_000 + 100_000 * u64::from(tick));
        if held.front().is_some_and(|(end, _): &(u32, Vec<u64>)| *end == tick)
            && let Some((_, ids)) = held.pop_front()
        {
            let give = |id| TestAdjustment { key: 0, limit, units: 1, change: Change::Give(id) };
            twins.adjust(&ids.into_iter().map(give).collect::<Vec<_>>()).await;
        }
        let calls: Vec<TestRequest> = (0..CALLS_PER_TICK)
            .map(|call| {
                let matters = random.u32(..3 * COUNT) < KEEP / 2;
                let id = 1 + u64::from(tick * CALLS_PER_TICK + call);
                TestRequest::new(0, limit, 1).with_permit(id).with_keep(if matters { 0 } else { KEEP })
            })
            .collect();
        let decisions = twins.decide(Mode::Charge, &calls).await;
        let mut permits = Vec::new();
        for (call, decision) in calls.iter().zip(decisions) {
            tally.admitted += u32::from(decision.is_allowed());
            tally.matter += u32::from(call.keep == 0);
            tally.matter_admitted += u32::from(call.keep == 0 && decision.is_allowed());
            if decision.is_allowed() && limit.is_concurrency() {
                permits.push(call.permit);
            }
        }
        if !permits.is_empty() {
            held.push_back((tick + TICKS_PER_MINUTE, permits));
        }
    }
    tally
}

/// Asserts that 99 % of the important calls pass, and that the limit is used up. `fits` is the number of units that the limit
/// can admit in the whole run.
async fn assert_important_calls_pass(limit: Limit, fits: u32) {
    let tally = overload(limit).await;
    println!("{limit}: {tally:?}, and {fits} fit");
    assert!(tally.matter >= 30, "{tally:?} proves little");
    assert!(100 * tally.matter_admitted >= 99 * tally.matter, "{tally:?}");
    assert!((99 * fits..=101 * fits).contains(&(100 * tally.admitted)), "{tally:?}, and {fits} fit");
}

macro_rules! important_calls_pass {
    ($($name:ident: $limit:expr, $fits:expr;)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                assert_important_calls_pass($limit, $fits).await;
            }
        )*
    };
}

important_calls_pass! {
    important_calls_pass_a_counter: Limit::counter(COUNT, MINUTE), MINUTES * COUNT;
    important_calls_pass_a_sliding_window: Limit::sliding_window(COUNT, MINUTE), MINUTES * COUNT;
    important_calls_pass_a_sliding_log: Limit::sliding_log(COUNT, MINUTE), MINUTES * COUNT;
    important_calls_pass_a_token_bucket: Limit::token_bucket(COUNT, MINUTE), (MINUTES + 1) * COUNT;
    important_calls_pass_a_leaky_bucket: Limit::leaky_bucket(COUNT, MINUTE).burst(COUNT), (MINUTES + 1) * COUNT;
    important_calls_pass_permits: Limit::concurrency(COUNT, MINUTE + SECOND), MINUTES * COUNT;
}

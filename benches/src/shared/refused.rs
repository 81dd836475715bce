//! Measures refused calls: our deny cache remembers the store's refusal, and governor looks into its own table.

use super::ours;
use crate::cpu::Stopwatch;
use crate::report::{Better, Bound, Row, Table};
use crate::{Effort, peers};
use ratelimit::{Key, Limit, RateLimiter, Rejection};
use std::error::Error;
use std::hint::black_box;
use std::time::Duration;

const CALLS: u32 = 200_000;
const OURS: &str = "counter, refusal remembered";
const GOVERNOR: &str = "governor, keyed";
const USER: &str = "user-81726";

const ONE: Limit = Limit::counter(1, Duration::from_secs(1000));

pub(crate) fn table(url: &str, effort: &Effort) -> Result<Table, Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let limiter = runtime.block_on(ours::limiter(url))?;
    runtime.block_on(ours(&limiter, 2))?;
    let mut table = Table::new("A refused key, one thread", &["CPU per call, ns"]).draw(0, Better::Less);
    table.rows.push(Row::new(OURS, true, 1));
    let governor = peers::refused();
    table.rows.extend(governor.iter().map(|_| Row::new(GOVERNOR, false, 1)));
    for _ in 0..effort.rounds {
        let time = Stopwatch::start();
        runtime.block_on(ours(&limiter, CALLS))?;
        table.rows[0].push(&[time.nanos() / f64::from(CALLS)]);
        if let Some(nanos) = &governor {
            table.rows[1].push(&[nanos(CALLS)]);
        }
    }
    table.goal(OURS, GOVERNOR, 0, Bound::AtMost(1.5));
    Ok(table)
}

/// Makes the calls. The first call is admitted, and all later calls are refused.
async fn ours(limiter: &RateLimiter, calls: u32) -> Result<(), String> {
    let mut allowed = 0;
    for _ in 0..calls {
        match limiter.check(&ONE, Key::new("bench").by(black_box(USER))).await {
            Ok(_) => allowed += 1,
            Err(Rejection::Limited(_)) => {}
            Err(rejection) => return Err(format!("{rejection:?}")),
        }
    }
    if allowed > 1 { Err(format!("{allowed} calls passed, expected at most one")) } else { Ok(()) }
}

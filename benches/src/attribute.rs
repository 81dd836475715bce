//! The part `attribute`: CPU time and heap allocations of one limited call on the memory store.

use crate::cpu::Stopwatch;
use crate::report::{Better, Bound, Row, Series, Table};
use crate::{Effort, Results, now};
use ratelimit::learn::{Estimate, Estimator};
use ratelimit::{Limit, RateLimiter, Rejection, rate_limit};
use std::error::Error;
use std::hint::black_box;
use std::net::SocketAddr;
use std::time::Duration;

const CALLS: u32 = 200_000;
const BARE: &str = "the bare function";
const GLOBAL: &str = "counter, global key";
const INTEGER: &str = "counter, by = an integer";
const IP: &str = "counter, by = \"ip\"";

const ESTIMATE: &str = "an estimate: charge, begin, settle";
const ESTIMATE_OF_CLASS: &str = "the same, of a class";

static TOKENS: Estimator = Estimator::new();

type Call = Box<dyn Fn(u32)>;

#[expect(clippy::unused_async, reason = "the others are compared with an async function")]
async fn bare(n: u32) -> Result<u32, Rejection> {
    Ok(n)
}

#[rate_limit(key = "bench:global", time = "1d", count = 4_000_000_000)]
async fn global(n: u32) -> Result<u32, Rejection> {
    Ok(n)
}

#[rate_limit(key = "bench:refused", time = "1d", count = 1)]
async fn refused(n: u32) -> Result<u32, Rejection> {
    Ok(n)
}

#[rate_limit(key = "bench:integer", time = "1d", count = 4_000_000_000, by = user)]
async fn integer(n: u32, user: u64) -> Result<u32, Rejection> {
    black_box(user);
    Ok(n)
}

#[rate_limit(key = "bench:ip", time = "1d", count = 4_000_000_000, by = "ip")]
async fn ip(n: u32, peer: SocketAddr) -> Result<u32, Rejection> {
    black_box(peer);
    Ok(n)
}

#[rate_limit(key = "bench:string", time = "1d", count = 4_000_000_000, by = user)]
async fn string(n: u32, user: &str) -> Result<u32, Rejection> {
    black_box(user);
    Ok(n)
}

#[rate_limit(key = "bench:{user}", time = "1s", count = 30_000_000, algorithm = "token_bucket")]
async fn bucket(n: u32, user: &str) -> Result<u32, Rejection> {
    black_box(user);
    Ok(n)
}

fn subjects() -> [(&'static str, Call); 10] {
    let peer = SocketAddr::from(([203, 0, 113, 7], 4000));
    let limiter = RateLimiter::in_memory();
    let limit = Limit::counter(4_000_000_000, Duration::from_secs(86_400));
    let user = "customer-81726";
    [
        (BARE, Box::new(|n| drop(black_box(now(bare(n)))))),
        (GLOBAL, Box::new(|n| drop(black_box(now(global(n)))))),
        (INTEGER, Box::new(|n| drop(black_box(now(integer(n, black_box(81_726))))))),
        (IP, Box::new(move |n| drop(black_box(now(ip(n, black_box(peer))))))),
        ("counter, by = a string", Box::new(|n| drop(black_box(now(string(n, black_box(user))))))),
        ("token bucket, string in the key", Box::new(|n| drop(black_box(now(bucket(n, black_box(user))))))),
        ("counter, global key, refused", Box::new(|n| drop(black_box(now(refused(n)))))),
        (
            "check without the attribute",
            Box::new(move |_| drop(black_box(now(limiter.check(&limit, "bench"))))),
        ),
        (ESTIMATE, Box::new(|n| estimated(TOKENS.estimate(black_box(4096)), n))),
        (ESTIMATE_OF_CLASS, Box::new(|n| estimated(TOKENS.estimate_of(black_box("large-2"), 4096), n))),
    ]
}

/// All that an estimate adds to a charge that is settled.
fn estimated(estimate: Estimate, n: u32) {
    let _ = black_box(estimate.cost());
    black_box(estimate.begin()).settled(1 + n % 500);
}

pub(crate) fn run(effort: &Effort) -> Result<Results, Box<dyn Error>> {
    ratelimit::install(RateLimiter::in_memory())?;
    let title = "One call, one thread, the same key";
    let mut table = Table::new(title, &["CPU per call, ns", "heap allocations"]).draw(0, Better::Less);
    let subjects = subjects();
    table.rows.extend(subjects.iter().map(|(name, call)| {
        call(0); // the first call of a key allocates its entry
        let heap = allocation_counter::measure(|| (0..1000).for_each(call));
        let mut row = Row::new(*name, *name != BARE, 2);
        #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
        let allocations = heap.count_total as f64 / 1000.0;
        row.figures[1] = Series::once(allocations);
        row
    }));
    for _ in 0..effort.rounds {
        for ((_, call), row) in subjects.iter().zip(&mut table.rows) {
            let time = Stopwatch::start();
            (0..CALLS).for_each(call);
            row.push(&[time.nanos() / f64::from(CALLS)]);
        }
    }
    for (ours, nanos) in
        [(GLOBAL, 55.0), (INTEGER, 80.0), (IP, 90.0), (ESTIMATE, 30.0), (ESTIMATE_OF_CLASS, 30.0)]
    {
        table.goal(ours, BARE, 0, Bound::Beyond(nanos));
    }
    for (ours, _) in subjects.iter().filter(|(name, _)| *name != BARE) {
        table.goal(ours, BARE, 1, Bound::Beyond(0.0));
    }
    Ok(Results {
        context: "On the memory store, nothing else in the function.".to_owned(),
        tables: vec![table],
    })
}

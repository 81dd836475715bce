//! The attribute on the memory store: time and heap allocations of one call.

use crate::table::Row;
use ratelimit::{Limit, RateLimiter, Rejection, rate_limit};
use std::future::Future;
use std::hint::black_box;
use std::net::{IpAddr, Ipv4Addr};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

const CALLS: u32 = 200_000;

type Call = Box<dyn Fn(u32)>;

#[expect(clippy::unused_async, reason = "what the others are compared with")]
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
async fn ip(n: u32, peer: IpAddr) -> Result<u32, Rejection> {
    black_box(peer);
    Ok(n)
}

#[rate_limit(key = "bench:{user}", time = "1s", count = 30_000_000, algorithm = "token_bucket")]
async fn bucket(n: u32, user: &str) -> Result<u32, Rejection> {
    black_box(user);
    Ok(n)
}

/// The memory store answers at the first poll.
fn now<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => unreachable!("the memory store needs no waiting"),
    }
}

pub(crate) fn run(rounds: usize) {
    let peer = IpAddr::from(Ipv4Addr::new(203, 0, 113, 7));
    let limiter = RateLimiter::in_memory();
    let limit = Limit::counter(4_000_000_000, std::time::Duration::from_secs(86_400));
    let subjects: [(&str, Call); 7] = [
        ("bare function", Box::new(|n| drop(black_box(now(bare(n)))))),
        ("counter, global key", Box::new(|n| drop(black_box(now(global(n)))))),
        ("counter, by = integer", Box::new(|n| drop(black_box(now(integer(n, 81_726)))))),
        ("counter, by = \"ip\"", Box::new(move |n| drop(black_box(now(ip(n, peer)))))),
        ("token bucket, key with a string", Box::new(|n| drop(black_box(now(bucket(n, "customer-81726")))))),
        ("counter, refused", Box::new(|n| drop(black_box(now(refused(n)))))),
        (
            "limiter.check, global key",
            Box::new(move |_| drop(black_box(now(limiter.check(&limit, "bench"))))),
        ),
    ];
    let mut rows: Vec<Row> = subjects.iter().map(|(name, _)| Row::new(*name)).collect();
    for _ in 0..rounds {
        for ((_, call), row) in subjects.iter().zip(&mut rows) {
            let start = Instant::now();
            (0..CALLS).for_each(call);
            row.figures.push(start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS));
        }
    }
    println!("\nOne call on the memory store, one thread, hot key\n");
    println!("  {:<34} {:>8} {:>16} {:>12}", "", "ns", "(spread)", "allocations");
    for ((_, call), row) in subjects.iter().zip(&rows) {
        let heap = allocation_counter::measure(|| (0..1000).for_each(call));
        let (low, high) = row.spread();
        let spread = format!("({low:.0}-{high:.0})");
        println!(
            "  {:<34} {:>8.1} {:>16} {:>12}",
            row.subject,
            row.median(),
            spread,
            heap.count_total / 1000
        );
    }
}

//! Many limiters that lose their server at once do not storm it.

use crate::setup::{SECOND, limiter_on, rounds, undecided};
use ratelimit::{ErrorKind, Limit, OnError, RateLimiter};
use std::time::{Duration, Instant};
use support::{Proxy, RedisServer, Traffic};
use tokio::task::JoinSet;

const LIMITERS: usize = 100;
const SLOT: Duration = Duration::from_millis(100);
const DAILY: Limit = Limit::counter(4_000_000_000, Duration::from_secs(86_400));

/// Calls often, until a moment.
async fn call_until(limiter: RateLimiter, end: Instant) {
    while Instant::now() < end {
        let error = undecided(limiter.check(&DAILY, "calls").await);
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The most of these moments within any slot.
fn most_within_a_slot(moments: &[Instant]) -> usize {
    let within = |from: &Instant| moments.iter().filter(|at| (*from..*from + SLOT).contains(*at)).count();
    moments.iter().map(within).max().unwrap_or(0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limiters_that_lose_their_server_together_come_back_one_by_one() {
    let server = RedisServer::start();
    // One each, to tell their attempts apart.
    let proxies: Vec<Proxy> = (0..LIMITERS).map(|_| Proxy::start(server.port())).collect();
    let mut limiters = Vec::new();
    for proxy in &proxies {
        let limiter = limiter_on(&server).redis(proxy.url()).on_error(OnError::Deny);
        limiters.push(limiter.build().await.unwrap());
    }
    for proxy in &proxies {
        proxy.set(Traffic::Reset);
    }
    let outage = SECOND * rounds(3, 15);
    let start = Instant::now();
    let calling = limiters.iter().map(|limiter| call_until(limiter.clone(), start + outage));
    calling.collect::<JoinSet<()>>().join_all().await;

    let attempts: Vec<Vec<Instant>> = proxies.iter().map(|proxy| proxy.accepted().split_off(1)).collect();
    let each = attempts.iter().map(Vec::len).max().unwrap_or(0);
    let mut all = attempts.concat();
    all.sort();
    let slot = most_within_a_slot(&all);
    println!("{each} attempts of one limiter at most, {} of all, {slot} in one slot", all.len());
    // Some at the start, and then one a second.
    assert!(each <= rounds(7, 20) as usize, "{each}");
    // A tenth of those in 15 seconds.
    assert!(
        slot <= if outage > SECOND * 10 { all.len() / 10 } else { 2 * LIMITERS },
        "{slot} of {}",
        all.len()
    );

    for proxy in &proxies {
        proxy.set(Traffic::Pass);
    }
    for limiter in &limiters {
        let back = async {
            while limiter.check(&DAILY, "calls").await.is_err() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(SECOND * 20, back).await.expect("the limiter has not found its server again");
    }
}

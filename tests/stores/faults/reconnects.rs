//! Many limiters that lose their server at the same time reconnect at different times.

use crate::harness::{HUGE, limiter_on, rounds, undecided, wait_until_reachable};
use ratelimit::{ErrorKind, OnError, RateLimiter};
use std::time::{Duration, Instant};
use support::{Proxy, RedisServer, SECOND, Traffic};
use tokio::task::JoinSet;

const LIMITERS: usize = 100;
const INTERVAL: Duration = Duration::from_millis(100);

/// Calls every 5 ms until the end. Each call must find the server unavailable.
async fn call_until(limiter: RateLimiter, end: Instant) {
    while Instant::now() < end {
        let error = undecided(limiter.check(&HUGE, "calls").await);
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The largest number of these times within one interval.
fn most_within_an_interval(moments: &[Instant]) -> usize {
    let within = |from: &Instant| moments.iter().filter(|at| (*from..*from + INTERVAL).contains(*at)).count();
    moments.iter().map(within).max().unwrap_or(0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limiters_that_lose_their_server_together_do_not_reconnect_together() {
    let server = RedisServer::start();
    // Each limiter has its own proxy, which counts the limiter's attempts to connect.
    let proxies: Vec<Proxy> = (0..LIMITERS).map(|_| Proxy::start(server.port())).collect();
    let mut limiters = Vec::new();
    for proxy in &proxies {
        let limiter = limiter_on(&server).redis(proxy.url()).on_error(OnError::Deny);
        limiters.push(limiter.connect().await.unwrap());
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
    let most = most_within_an_interval(&all);
    println!("at most {each} attempts of one limiter, {} of all, {most} in one interval", all.len());
    // A limiter makes a few attempts at the start, and later at most one every 650 ms.
    assert!(each <= rounds(8, 25) as usize, "{each}");
    // In 15 seconds, at most a tenth of all attempts fall into one interval.
    assert!(
        most <= if outage > SECOND * 10 { all.len() / 10 } else { 2 * LIMITERS },
        "{most} of {}",
        all.len()
    );

    for proxy in &proxies {
        proxy.set(Traffic::Pass);
    }
    for limiter in &limiters {
        wait_until_reachable(limiter).await;
    }
}

//! Primaries behind sentinels: limiters find the new primary after a crash or a failover.

use crate::harness::{assert_recovered_within, limiter_at, rounds, time_until_decided};
use ratelimit::ErrorKind;
use std::thread;
use std::time::{Duration, Instant};
use support::{SECOND, Sentinels};

/// The time after which sentinels consider a silent primary down.
const SILENT: Duration = SECOND;

/// Waits until a sentinel names another primary. Returns the time.
fn named_another(mut sentinel: redis::Connection, dead: u16) -> Instant {
    let mut ask = redis::cmd("SENTINEL");
    ask.arg("GET-MASTER-ADDR-BY-NAME").arg("mymaster");
    while ask.query::<(String, u16)>(&mut sentinel).unwrap().1 == dead {
        thread::sleep(Duration::from_millis(5));
    }
    Instant::now()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limiters_follow_crashes_and_failovers_of_the_primary() {
    let mut sentinels = Sentinels::start();
    let limiter = limiter_at(sentinels.url()).deadline(Duration::from_millis(500)).connect().await.unwrap();
    for round in 0..rounds(2, 20) {
        if round % 2 == 0 {
            let dead = sentinels.kill_primary();
            let (start, sentinel) = (Instant::now(), sentinels.server(sentinels.sentinel_ports()[0]).raw());
            let named = tokio::task::spawn_blocking(move || named_another(sentinel, dead));
            let took = time_until_decided(&limiter, "canary").await;
            // If sentinels did not agree on a leader, they try again after 4 seconds.
            let named = named.await.unwrap().duration_since(start);
            assert_recovered_within((SILENT + 3 * SECOND).max(named + 3 * SECOND / 2), took);
            tokio::task::block_in_place(|| {
                // The other sentinels may learn of the new primary later than the first one.
                let _successor = sentinels.wait_for_another(dead);
                sentinels.restart(dead);
            });
        } else {
            tokio::task::block_in_place(|| sentinels.hand_over());
            time_until_decided(&limiter, "canary").await;
        }
        tokio::task::block_in_place(|| sentinels.wait_until_whole());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_sentinel_is_skipped() {
    let mut sentinels = Sentinels::start();
    let limiter = limiter_at(sentinels.url()).connect().await.unwrap();
    sentinels.kill(sentinels.sentinel_ports()[0]);
    let again = limiter_at(sentinels.url()).connect().await.unwrap();
    assert_eq!(time_until_decided(&again, "canary").await.as_secs(), 0);
    for port in &sentinels.sentinel_ports()[1..] {
        sentinels.kill(*port);
    }
    // A limiter that has found the primary no longer needs the sentinels. Without sentinels, a new limiter cannot connect.
    time_until_decided(&limiter, "canary").await;
    let error = limiter_at(sentinels.url()).connect().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
}

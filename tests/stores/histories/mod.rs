//! Histories on real servers, which are killed, replaced and cut off from the network. For the recorded calls of each key,
//! there must be an order that the definition allows (a linearizable history). If there is, the promises of the definitions
//! also hold for the servers.

mod history;
mod linearize;
mod planted;
mod traffic;

use crate::harness::{PATIENCE, limiter_at, rounds, seed, wait_until_reachable};
use history::now;
use ratelimit::RateLimiter;
use std::thread;
use std::time::{Duration, Instant};
use support::{Cluster, MS, Proxy, RedisServer, Traffic as Network};
use tokio::task::block_in_place;
use traffic::Traffic;

/// A deadline that is longer than a call on a healthy server, and shorter than a fault.
const DEADLINE: Duration = Duration::from_millis(100);

/// The time for which each kind of server is disturbed.
fn time() -> Duration {
    Duration::from_secs(rounds(3, 150).into())
}

const CUTS: [Network; 6] = [
    Network::LoseReplies,
    Network::CutReplies,
    Network::Swallow,
    Network::Reset,
    Network::Refuse,
    Network::DelayReplies(Duration::from_millis(60)),
];

async fn limiter(url: String) -> RateLimiter {
    let limiter = limiter_at(url).deny_cache(false).deadline(DEADLINE).build().unwrap();
    wait_until_reachable(&limiter).await;
    limiter
}

/// Disturbs a network for 50 to 300 ms.
fn disturb(random: &mut fastrand::Rng, proxy: &Proxy) {
    proxy.set(random.choice(CUTS).unwrap());
    thread::sleep(random.u32(50..300) * MS);
    proxy.set(Network::Pass);
    thread::sleep(random.u32(50..200) * MS);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_killed_and_cut_off_has_linearizable_histories() {
    let mut server = RedisServer::builder().persistent().start();
    let proxies = [0; 3].map(|_| Proxy::start(server.port()));
    let mut limiters = Vec::new();
    for proxy in &proxies {
        limiters.push(limiter(proxy.url()).await);
    }
    let (traffic, start) = (Traffic::start(&limiters), Instant::now());
    let (mut random, mut kills, mut cuts) = (fastrand::Rng::with_seed(seed()), 0, 0);
    block_in_place(|| {
        while start.elapsed() < time() || kills == 0 {
            if random.u8(0..6) == 0 || cuts == 3 && kills == 0 {
                server.kill();
                thread::sleep(random.u32(10..200) * MS);
                server.restart();
                kills += 1;
            } else {
                let proxy = random.choice(&proxies).unwrap();
                disturb(&mut random, proxy);
                cuts += 1;
            }
        }
    });
    // The server writes each charge to the disk before it replies, so it loses no charge.
    let summary = traffic.verdict(&[]).await;
    println!(
        "one server, {kills} times killed and {cuts} times cut off, in {:.0?}: {summary}",
        start.elapsed()
    );
    assert!(summary.admitted > 100 && summary.unknown > 0, "{summary}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cluster_that_fails_over_and_is_cut_off_has_linearizable_histories() {
    let mut cluster = Cluster::behind_proxies(3).with_failover();
    let mut limiters = Vec::new();
    for _ in 0..3 {
        limiters.push(limiter(cluster.url()).await);
    }
    let (traffic, start) = (Traffic::start(&limiters), Instant::now());
    let (mut random, mut cuts, mut handed_over) = (fastrand::Rng::with_seed(seed()), 0, 0);
    let mut losses = Vec::new();
    block_in_place(|| {
        while start.elapsed() < time() || handed_over == 0 {
            let primary = random.choice(cluster.primaries()).unwrap();
            match random.u8(0..8) {
                0 if time() > PATIENCE => {
                    // A replica lags behind, so the last charges of a killed primary are lost.
                    losses.push(now());
                    cluster.kill(primary);
                    let slots = || {
                        (0..16_384)
                            .step_by(64)
                            .all(|slot| cluster.find_primary(slot).is_some_and(|port| port != primary))
                    };
                    let began = Instant::now();
                    while !slots() {
                        assert!(began.elapsed() < PATIENCE, "the replica does not take over");
                        thread::sleep(20 * MS);
                    }
                    cluster.restart(primary);
                    cluster.wait_until_whole();
                }
                1 => {
                    let _ = cluster.hand_over(primary);
                    handed_over += 1;
                }
                _ if cuts == 3 && handed_over == 0 => {
                    let _ = cluster.hand_over(primary);
                    handed_over += 1;
                }
                _ => {
                    disturb(&mut random, cluster.proxy(primary));
                    cuts += 1;
                }
            }
        }
    });
    let summary = traffic.verdict(&losses).await;
    println!(
        "a cluster, {} primaries killed, {handed_over} replaced and {cuts} times cut off, in {:.0?}: {summary}",
        losses.len(),
        start.elapsed()
    );
    assert!(summary.admitted > 100 && summary.unknown > 0, "{summary}");
    assert!(summary.lost == 0 || !losses.is_empty(), "{summary}");
}

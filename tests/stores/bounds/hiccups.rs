//! Processes that share permits of a server with hiccups. One of them is killed. They never hold more than the limit, and all
//! permits are free when a lease has ended.

use crate::bounds::processes::worker_limits::{HICCUPS, SHORT_LEASE, named};
use crate::bounds::processes::workers::{Worker, records_while};
use crate::bounds::proofs::upper_bounds::most_at_once;
use crate::harness::{Suspended, assert_recovered_within, is_soak, limiter_on, seed, wait_for};
use std::thread::sleep;
use std::time::Instant;
use support::{MS, RedisServer, SECOND};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn permits_of_a_server_with_hiccups_never_exceed_the_limit_and_all_come_back() {
    let (server, limit) = (RedisServer::start(), named(HICCUPS).unwrap());
    let lease_ms = SHORT_LEASE.as_millis().to_string();
    let mut holder = Worker::start(&[&server.url(), "hold", &lease_ms, HICCUPS]);
    assert_eq!(holder.line(), "held");
    let workers = (0..3).map(|_| Worker::start(&[&server.url(), HICCUPS])).collect();
    let (seconds, mut random) = (if is_soak() { 60 } else { 5 }, fastrand::Rng::with_seed(seed()));
    let mut killed = Instant::now();
    let records = tokio::task::block_in_place(|| {
        records_while(workers, seconds * SECOND, |workers| {
            let start = Instant::now();
            for second in 1..seconds {
                hiccup(&server, &mut random);
                sleep((second * SECOND).saturating_sub(start.elapsed()));
                if second == seconds - 2 {
                    workers.pop().unwrap().kill();
                    holder.kill();
                    killed = Instant::now();
                }
            }
        })
    });
    let (most, count) = (most_at_once(&records.passed), limit.count());
    assert!(most < u64::from(count), "{most} and one more were held at once");
    assert!(records.passed.len() > 2 * count as usize, "{} holds prove little", records.passed.len());
    let other = limiter_on(&server).connect().await.unwrap();
    let free = async || other.peek(&limit, HICCUPS).await.unwrap().remaining();
    assert!(free().await < count, "nothing was held by the killed processes");
    wait_for("all permits are free", async || free().await == count).await;
    assert_recovered_within(SHORT_LEASE + SECOND, killed.elapsed());
}

/// The server is silent for up to 600 ms: it pauses its clients, or its process is suspended.
fn hiccup(server: &RedisServer, random: &mut fastrand::Rng) {
    let silent = random.u32(20..600);
    if random.bool() {
        redis::cmd("CLIENT").arg("PAUSE").arg(silent).arg("ALL").exec(&mut server.raw()).unwrap();
    } else {
        let _suspended = Suspended::new(server);
        sleep(silent * MS);
    }
}

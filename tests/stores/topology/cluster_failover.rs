//! Servers that die, hand over, and move their keys, while they are asked: what callers see, and what is counted.

use crate::harness::{
    Suspended, assert_recovered_within, decision, limiter_at, rounds, time_until_decided, undecided,
};
use ratelimit::{Key, Limit, RateLimiter, Rejection};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use support::{Cluster, DAY};
use tokio::task::JoinSet;

/// Bound of the time from a crash to the first decision after it: an election, and the client's second.
const RECOVERY: Duration = Duration::from_secs(4);

/// Callers that ask without a pause, until they are told to stop.
struct Load {
    stop: Arc<AtomicBool>,
    callers: JoinSet<HashMap<u32, Calls>>,
    decisions: Arc<AtomicU64>,
    start: Instant,
}

/// What became of the calls of one key.
#[derive(Clone, Copy, Debug, Default)]
struct Calls {
    admitted: u32,
    /// They may have been counted.
    failed: u32,
}

impl Load {
    /// Each key has a limit of its own.
    fn on(limiter: &RateLimiter, limit: Limit, keys: u32) -> Self {
        let (stop, decisions, start) = (Arc::default(), Arc::default(), Instant::now());
        let mut load = Self { stop, callers: JoinSet::new(), decisions, start };
        for caller in 0..64 {
            let limiter = limiter.clone();
            let (stop, decisions) = (Arc::clone(&load.stop), Arc::clone(&load.decisions));
            load.callers.spawn(async move {
                let mut all: HashMap<u32, Calls> = HashMap::new();
                for key in (0..keys).cycle().skip(caller * 7) {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let calls = all.entry(key).or_default();
                    match limiter.check(&limit, Key::new("load").by(key)).await {
                        Ok(_) => calls.admitted += 1,
                        Err(Rejection::Limited(_)) => {}
                        Err(rejection) => {
                            let error = undecided::<()>(Err(rejection));
                            assert!(error.is_transient(), "{error}");
                            calls.failed += 1;
                            tokio::time::sleep(Duration::from_millis(5)).await;
                        }
                    }
                    decisions.fetch_add(1, Ordering::Relaxed);
                }
                all
            });
        }
        load
    }

    /// Until so many more decisions were made.
    async fn runs_on(&self, decisions: u64) {
        let enough = self.decisions.load(Ordering::Relaxed) + decisions;
        while self.decisions.load(Ordering::Relaxed) < enough {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// What became of the calls of each key.
    async fn stop(self) -> HashMap<u32, Calls> {
        self.stop.store(true, Ordering::Relaxed);
        let (decisions, time) = (self.decisions.load(Ordering::Relaxed), self.start.elapsed());
        println!("{decisions} calls in {time:?}");
        let mut all: HashMap<u32, Calls> = HashMap::new();
        for caller in self.callers.join_all().await {
            for (key, more) in caller {
                let calls = all.entry(key).or_default();
                calls.admitted += more.admitted;
                calls.failed += more.failed;
            }
        }
        all
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slots_move_and_every_call_is_counted_once() {
    let cluster = Cluster::start(3);
    let limiter = limiter_at(cluster.url()).deny_cache(false).build().await.unwrap();
    let (keys, count) = (600, 40);
    let load = Load::on(&limiter, Limit::counter(count, DAY), keys);
    let [from, to, ..] = cluster.primaries()[..] else { panic!("there are three") };
    let own: Vec<u16> =
        (0..16_384).filter(|slot| cluster.find_primary(*slot) == Some(from)).take(1000).collect();
    for to in [to, from] {
        tokio::task::block_in_place(|| cluster.move_slots(own.iter().copied(), to));
    }
    load.runs_on(u64::from(keys * count)).await;
    let calls = load.stop().await;
    assert_eq!(calls.len(), keys as usize);
    assert!(calls.values().all(|calls| calls.admitted == count && calls.failed == 0), "{calls:?}");
}

/// A batch of one slot has keys on two nodes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_of_one_slot_may_be_on_two_nodes() {
    let cluster = Cluster::start(3);
    let limiter = limiter_at(cluster.url()).deny_cache(false).build().await.unwrap();
    let limit = Limit::counter(100, DAY);
    let names = ["a", "b", "c", "d", "e", "f"];
    for name in &names[..3] {
        limiter.check(&limit, Key::new(name).by("x")).await.unwrap();
    }
    let slot = cluster.slot_of("{x}");
    let from = cluster.primary_of(slot);
    let to = *cluster.primaries().iter().find(|port| **port != from).unwrap();
    cluster.begin_move(slot, to);
    for _ in 0..5 {
        let mut calls = JoinSet::new();
        for name in names {
            let limiter = limiter.clone();
            calls.spawn(async move { limiter.check(&limit, Key::new(name).by("x")).await });
        }
        for answer in calls.join_all().await {
            answer.unwrap();
        }
    }
    cluster.carry_keys(slot, to);
    cluster.end_move(slot, to);
    for (at, name) in names.into_iter().enumerate() {
        let left = limiter.peek(&limit, Key::new(name).by("x")).await.unwrap().remaining();
        assert_eq!(left, if at < 3 { 94 } else { 95 }, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_primary_of_a_cluster_dies() {
    let mut cluster = Cluster::start(3);
    let limiter = limiter_at(cluster.url()).deadline(Duration::from_millis(500)).deny_cache(false);
    let limiter = limiter.build().await.unwrap();
    let (keys, count) = (300, 20);
    let load = Load::on(&limiter, Limit::counter(count, DAY), keys);
    let mut deaths = 0;
    for round in 0..rounds(2, 20) {
        load.runs_on(2000).await;
        let slot = cluster.slot_of("{canary}");
        let dead = if round % 2 == 0 { cluster.primary_of(slot) } else { cluster.primaries()[0] };
        let concerns = dead == cluster.primary_of(slot);
        cluster.kill(dead);
        deaths += 1;
        let took = time_until_decided(&limiter, "canary").await;
        if concerns {
            assert_recovered_within(RECOVERY, took);
        }
        tokio::task::block_in_place(|| {
            cluster.restart(dead);
            cluster.wait_until_whole();
        });
    }
    load.runs_on(u64::from(keys)).await;
    let calls = load.stop().await;
    assert_eq!(calls.len(), keys as usize);
    // A replica that had not heard of the last calls admits them again: a bucket for each death at most. A call that has
    // failed may have taken its unit along.
    let most = count * (deaths + 1);
    let holds = |calls: &Calls| calls.admitted <= most && calls.admitted + calls.failed >= count;
    assert!(calls.values().all(holds), "{calls:?}");
}

/// A replica that has heard nothing of the last calls makes one fresh limit of each key, and no more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_that_lags_behind_admits_once_more() {
    let mut cluster = Cluster::start(3);
    let limiter = limiter_at(cluster.url()).deadline(Duration::from_millis(500)).deny_cache(false);
    let (limiter, limit) = (limiter.build().await.unwrap(), Limit::counter(20, DAY));
    let admitted = async || {
        let mut admitted = 0;
        for _ in 0..50 {
            admitted += u32::from(decision(limiter.check(&limit, "lost").await).allowed());
        }
        admitted
    };
    let dying = cluster.primary_of(cluster.slot_of("{lost}"));
    let lagging = Suspended::new(cluster.server(cluster.replica_of(dying)));
    // What is on its way to it would still arrive.
    let mut raw = cluster.server(dying).raw();
    redis::cmd("CLIENT").arg("KILL").arg("TYPE").arg("replica").exec(&mut raw).unwrap();
    assert_eq!(admitted().await, 20);
    cluster.kill(dying);
    drop(lagging);
    time_until_decided(&limiter, "lost").await;
    // Finding it took one.
    assert_eq!(admitted().await, 19);
}

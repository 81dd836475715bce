//! Clusters under load whose nodes die, fail over and move slots: which calls fail, and what is counted.

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

/// The bound of the time from a crash to the first decision after it: an election, and one second of the client.
const RECOVERY: Duration = Duration::from_secs(4);

/// Callers that call without a pause until they are stopped.
struct Load {
    stop: Arc<AtomicBool>,
    callers: JoinSet<HashMap<u32, Calls>>,
    decisions: Arc<AtomicU64>,
    start: Instant,
}

/// The calls of one key.
#[derive(Clone, Copy, Debug, Default)]
struct Calls {
    admitted: u32,
    /// Failed calls may have been counted.
    failed: u32,
}

impl Load {
    /// Starts 64 callers. Each key has its own limit.
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

    /// Waits for `decisions` more decisions.
    async fn runs_on(&self, decisions: u64) {
        let enough = self.decisions.load(Ordering::Relaxed) + decisions;
        while self.decisions.load(Ordering::Relaxed) < enough {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Stops all callers. Returns the calls of each key.
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
async fn every_call_is_counted_once_while_slots_move() {
    let cluster = Cluster::start(3);
    let limiter = limiter_at(cluster.url()).deny_cache(false).connect().await.unwrap();
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

/// The keys of one batch are on two nodes while their slot moves.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_of_one_slot_may_be_on_two_nodes() {
    let cluster = Cluster::start(3);
    let limiter = limiter_at(cluster.url()).deny_cache(false).connect().await.unwrap();
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
async fn limiters_survive_crashes_of_primaries() {
    let mut cluster = Cluster::start(3).with_failover();
    let limiter = limiter_at(cluster.url()).deadline(Duration::from_millis(500)).deny_cache(false);
    let limiter = limiter.connect().await.unwrap();
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
    // A replica that missed the last calls admits them again: at most a whole limit per crash. A failed call may have
    // taken its unit.
    let most = count * (deaths + 1);
    let holds = |calls: &Calls| calls.admitted <= most && calls.admitted + calls.failed >= count;
    assert!(calls.values().all(holds), "{calls:?}");
}

/// A replica that missed the last calls starts a fresh limit for each key, and no more than one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lagging_replica_admits_one_limit_more() {
    let mut cluster = Cluster::start(3).with_failover();
    let limiter = limiter_at(cluster.url()).deadline(Duration::from_millis(500)).deny_cache(false);
    let (limiter, limit) = (limiter.connect().await.unwrap(), Limit::counter(20, DAY));
    let admitted = async || {
        let mut admitted = 0;
        for _ in 0..50 {
            admitted += u32::from(decision(limiter.check(&limit, "lost").await).is_allowed());
        }
        admitted
    };
    let dying = cluster.primary_of(cluster.slot_of("{lost}"));
    let lagging = Suspended::new(cluster.server(cluster.replica_of(dying)));
    // Without this pause, data that is already sent would still reach the replica.
    let mut raw = cluster.server(dying).raw();
    redis::cmd("CLIENT").arg("KILL").arg("TYPE").arg("replica").exec(&mut raw).unwrap();
    assert_eq!(admitted().await, 20);
    cluster.kill(dying);
    drop(lagging);
    time_until_decided(&limiter, "lost").await;
    // The first call after the failover took one unit.
    assert_eq!(admitted().await, 19);
}

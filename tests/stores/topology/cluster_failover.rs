//! Counts of calls while slots of a cluster move and while nodes fail.

use crate::harness::{Suspended, decision, limiter_at, time_until_decided};
use ratelimit::{Key, Limit};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use support::{Cluster, DAY};
use tokio::task::JoinSet;

/// 64 callers call 600 keys continuously, until slots have moved to another node and back, and each key has been called often
/// enough.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_is_counted_once_while_slots_move() {
    const KEYS: u32 = 600;
    let cluster = Cluster::start(3);
    let limiter = limiter_at(cluster.url()).deny_cache(false).connect().await.unwrap();
    let limit = Limit::counter(40, DAY);
    let (admitted, moved) =
        (Arc::<Vec<_>>::new((0..KEYS).map(|_| AtomicU32::new(0)).collect()), Arc::new(AtomicU32::new(0)));
    let mut callers = JoinSet::new();
    for caller in 0..64 {
        let (limiter, admitted, moved) = (limiter.clone(), Arc::clone(&admitted), Arc::clone(&moved));
        callers.spawn(async move {
            let mut calls = 0;
            for key in (0..KEYS).cycle().skip(caller * 7) {
                let decision = decision(limiter.check(&limit, Key::new("load").by(key)).await);
                admitted[key as usize].fetch_add(u32::from(decision.is_allowed()), Ordering::Relaxed);
                calls = if moved.load(Ordering::Relaxed) == 0 { 0 } else { calls + 1 };
                if calls > KEYS {
                    return;
                }
            }
        });
    }
    let [from, to, ..] = cluster.primaries()[..] else { panic!("there are three") };
    let own: Vec<u16> =
        (0..16_384).filter(|slot| cluster.find_primary(*slot) == Some(from)).take(1000).collect();
    for to in [to, from] {
        tokio::task::block_in_place(|| cluster.move_slots(own.iter().copied(), to));
    }
    moved.store(1, Ordering::Relaxed);
    callers.join_all().await;
    for (key, admitted) in admitted.iter().enumerate() {
        assert_eq!(admitted.load(Ordering::Relaxed), limit.count(), "key {key}");
    }
}

/// `ASK` redirects one command. The other keys of the slot are still on the old node, to which the new node would redirect them.
#[tokio::test]
async fn while_a_slot_moves_only_keys_that_are_elsewhere_are_asked_for_there() {
    let cluster = Cluster::start(3);
    let limiter = limiter_at(cluster.url()).deny_cache(false).connect().await.unwrap();
    let limit = Limit::counter(1000, DAY);
    let remaining = async |name| decision(limiter.check(&limit, Key::new(name).by("ann")).await).remaining();
    assert_eq!(remaining("stays").await, 999);
    let slot = cluster.slot_of("{ann}");
    let from = cluster.primary_of(slot);
    let to = cluster.primaries().into_iter().find(|port| *port != from).unwrap();
    cluster.begin_move(slot, to);
    for calls in 1..50 {
        assert_eq!(remaining("new").await, 1000 - calls);
        assert_eq!(remaining("stays").await, 999 - calls);
    }
    let redirections = |port, kind| {
        let mut raw = cluster.server(port).raw();
        let errors: String = redis::cmd("INFO").arg("errorstats").query(&mut raw).unwrap();
        errors.contains(kind)
    };
    assert!(redirections(from, "errorstat_ASK"), "nothing was redirected");
    assert!(!redirections(to, "errorstat_MOVED"));
}

/// If a replica missed the last calls, each key starts again with at most one full limit.
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
    // Closes the connection to the replica. Otherwise data that is already sent would still reach the replica.
    let mut raw = cluster.server(dying).raw();
    redis::cmd("CLIENT").arg("KILL").arg("TYPE").arg("replica").exec(&mut raw).unwrap();
    assert_eq!(admitted().await, 20);
    cluster.kill(dying);
    drop(lagging);
    time_until_decided(&limiter, "lost").await;
    // The first call after the failover took one unit.
    assert_eq!(admitted().await, 19);
}

//! The status of a limiter. It is correct while the server hangs, is down or is misconfigured, and while no calls are made.

use super::unreliable_server::{DEADLINE, FAULTS, Fault, UnreliableServer};
use crate::harness::{
    HUGE, Suspended, counted_at, failure, limiter_at, limiter_on, poll_once, script_calls, soon, wait_for,
};
use ratelimit::{ErrorKind, OnError, RateLimiter, Status};
use std::net::TcpListener;
use std::pin::pin;
use support::{Cluster, RedisServer, SECOND, Traffic, take_events};
use tokio::task::{JoinSet, LocalSet};

pub(super) fn assert_reachable(status: &Status) {
    assert!(status.is_reachable() && status.is_ready(), "{status}");
    assert!(status.servers() == status.reachable_servers() && status.unreachable_for().is_none(), "{status}");
    assert!(status.error().is_none() && status.error_kind().is_none(), "{status}");
}

async fn wait_until_status_is_reachable(limiter: &RateLimiter) {
    wait_for("the status is reachable", async || limiter.status().await.is_reachable()).await;
    // The status still reports a failure policy that was in use within the last second.
    wait_for("the failure policy is not in use", async || limiter.status().await.fallback().is_none()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_is_noticed_without_calls_and_so_is_its_end() {
    let servers = FAULTS.map(|fault| (fault, UnreliableServer::start()));
    let (local, mut noticed) = (LocalSet::new(), JoinSet::new());
    for (fault, server) in servers {
        noticed.spawn_local_on(fault_is_noticed(fault, server), &local);
    }
    local.run_until(noticed.join_all()).await;
}

async fn fault_is_noticed(fault: Fault, mut server: UnreliableServer) {
    let limiter = server.limiter(OnError::Local).await;
    assert_reachable(&limiter.status().await);
    server.begin(fault);
    for _ in 0..10 {
        let status = status_during(fault, &limiter).await;
        assert!(!status.is_reachable() && status.unreachable_for().is_some(), "{fault:?}: {status}");
        assert!(matches!(status.error_kind(), Some(ErrorKind::Timeout | ErrorKind::Unavailable)));
        assert_eq!((status.is_ready(), status.fallback()), (true, Some(OnError::Local)), "{status}");
        assert!(!status_during(fault, &limiter.with_on_error(OnError::Deny)).await.is_ready());
        let port = server.proxy.port().to_string();
        assert!(!format!("{status} {status:?}").contains(&port), "an address is shown: {status:?}");
    }
    server.end();
    wait_until_status_is_reachable(&limiter).await;
    assert_reachable(&limiter.status().await);
}

/// Gets the status during a fault. If the machine stalls, a late reply can arrive before the client notices that the deadline
/// has passed.
async fn status_during(fault: Fault, limiter: &RateLimiter) -> Status {
    let is_late = matches!(fault, Fault::Network(Traffic::DelayReplies(_)));
    let status = async {
        loop {
            let status = limiter.status().await;
            if !(is_late && status.is_reachable()) {
                return status;
            }
        }
    };
    soon(status).await
}

#[tokio::test]
async fn an_outage_is_logged_although_no_calls_are_made() {
    let mut server = UnreliableServer::start();
    let limiter = server.limiter(OnError::Local).await;
    let _ = take_events();
    server.begin(Fault::Network(Traffic::Refuse));
    for _ in 0..3 {
        assert!(!limiter.status().await.is_reachable());
    }
    server.end();
    wait_until_status_is_reachable(&limiter).await;
    // An outage ends with the first success that comes at least a second after the last failure.
    assert_reachable(&limiter.status().await);
    let events: Vec<String> = take_events().iter().map(ToString::to_string).collect();
    for says in ["the store is unavailable; applying", "the store is available again"] {
        assert_eq!(events.iter().filter(|event| event.contains(says)).count(), 1, "{says}: {events:?}");
    }
}

/// While the server is unavailable, a call fails at once, but begins an attempt to reach the server. A status waits for this
/// attempt.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_status_after_the_return_of_a_server_is_true() {
    let mut server = RedisServer::start();
    let limiter = limiter_on(&server).on_error(OnError::Deny).connect().await.unwrap();
    server.stop();
    for _ in 0..5 {
        let status = soon(limiter.status()).await;
        assert_eq!(status.error_kind(), Some(ErrorKind::Unavailable), "{status}");
        assert!(!status.is_ready());
    }
    server.restart();
    // One second is the longest time between two attempts to reach the server.
    tokio::time::sleep(SECOND).await;
    assert_reachable(&limiter.status().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_never_replied_is_unreachable_within_one_deadline() {
    // The socket accepts connections, but no task reads from them.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let limiter = limiter_at(format!("redis://{}", silent.local_addr().unwrap()));
    let limiter = limiter.deadline(DEADLINE).build().unwrap();
    let status = soon(limiter.status()).await;
    assert_eq!((status.error_kind(), status.is_ready()), (Some(ErrorKind::Timeout), false), "{status}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_replies_but_cannot_decide_is_unreachable() {
    for (commands, kind, ready) in [
        // A primary that has become a replica replies to `PING`, but refuses writes.
        (["REPLICAOF 127.0.0.1 1"].as_slice(), ErrorKind::Unavailable, true),
        (&["CONFIG SET min-replicas-to-write 1"], ErrorKind::Unavailable, true),
        (&["CONFIG SET maxmemory 1"], ErrorKind::Unavailable, true),
        (&["ACL SETUSER default -evalsha -eval"], ErrorKind::Configuration, false),
    ] {
        let server = RedisServer::start();
        let limiter = limiter_on(&server).on_error(OnError::Allow).connect().await.unwrap();
        for command in commands {
            let words: Vec<&str> = command.split(' ').collect();
            redis::cmd(words[0]).arg(&words[1..]).exec(&mut server.raw()).unwrap();
        }
        let status = limiter.status().await;
        assert_eq!((status.error_kind(), status.is_ready()), (Some(kind), ready), "{commands:?}: {status}");
        assert_eq!(status.fallback(), ready.then_some(OnError::Allow), "{status}");
        assert_eq!(
            failure(limiter.check(&HUGE, "calls").await).is_none(),
            ready,
            "the status tells the truth"
        );
    }
}

/// Many concurrent callers request the status, as when a health endpoint is flooded.
#[tokio::test]
async fn concurrent_callers_share_one_probe() {
    let server = RedisServer::start();
    let limiter = counted_at(&server.url()).connect().await.unwrap();
    assert_reachable(&limiter.status().await);
    let before = script_calls(&server);
    let mut callers: Vec<_> = (0..100).map(|_| Box::pin(limiter.status())).collect();
    for caller in &mut callers {
        assert!(poll_once(caller).await.is_pending());
    }
    drop(callers.remove(0)); // the others do not depend on the first one
    for caller in callers {
        assert_reachable(&soon(caller).await);
    }
    assert_eq!(script_calls(&server) - before, 1);
    assert_eq!(server.keys_without_ttl(), 0);
}

#[tokio::test]
async fn the_status_of_a_memory_store_needs_no_runtime_and_is_ready_at_once() {
    let status = poll_once(&mut pin!(RateLimiter::in_memory().status())).await;
    assert!(status.is_ready());
    let outside = std::thread::spawn(|| {
        let limiter = RateLimiter::in_memory();
        let mut status = pin!(limiter.status());
        status.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop()))
    });
    let std::task::Poll::Ready(status) = outside.join().unwrap() else { panic!("it waits") };
    assert_reachable(&status);
    assert_eq!(status.servers(), 1);
    let off = RateLimiter::builder().off().connect().await.unwrap().status().await;
    assert!(off.is_off() && off.is_ready() && !off.is_reachable() && off.servers() == 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_node_of_a_cluster_is_asked() {
    let cluster = Cluster::start(3);
    // Before the first status, the client knows nothing about the cluster.
    let limiter = limiter_at(cluster.url()).build().unwrap();
    let status = limiter.status().await;
    assert_reachable(&status);
    assert_eq!(status.servers(), 3);

    let hasty = limiter_at(cluster.url()).deadline(SECOND / 2).connect().await.unwrap();
    wait_for("all nodes are connected", async || hasty.status().await.is_reachable()).await;
    let [first, ..] = cluster.primaries()[..] else { panic!("three primaries") };
    let suspended = Suspended::new(cluster.server(first));
    let status = hasty.status().await;
    assert_eq!((status.reachable_servers(), status.servers()), (2, 3), "{status}");
    assert_eq!(status.error_kind(), Some(ErrorKind::Timeout));
    assert!(status.is_ready() && !status.is_reachable() && status.fallback() == Some(OnError::Deny));
    drop(suspended);
    wait_until_status_is_reachable(&hasty).await;

    let suspended: Vec<_> =
        cluster.ports().iter().map(|port| Suspended::new(cluster.server(*port))).collect();
    let status = hasty.status().await;
    assert_eq!((status.reachable_servers(), status.is_ready()), (0, false), "{status}");
    drop(suspended);
    wait_until_status_is_reachable(&hasty).await;
}

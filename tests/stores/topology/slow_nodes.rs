//! Missed deadlines in a cluster count against the node that the call was waiting for.

use crate::harness::{
    PATIENCE, Suspended, cluster_of_one, counted_at, limiter_at, limiter_on_slots, on_slots, script_calls,
    undecided, wait_until_reachable,
};
use ratelimit::{AsKey, ErrorKind, Key, Limit, OnError, RateLimiter, RateLimiterBuilder, Rejection};
use std::time::Duration;
use support::{Cluster, HOUR, SECOND};

/// The limit of a stack that is decided first, because its time is shorter.
const FIRST: Limit = Limit::counter(1_000_000, Duration::from_secs(600));
const SECOND_LIMIT: Limit = Limit::counter(1_000_000, HOUR);

type Stack<'k> = [(&'k Limit, &'k dyn AsKey, u32); 2];

/// The number of consecutive missed deadlines after which calls no longer wait for a server.
const MANY: usize = 5;

fn strict(builder: RateLimiterBuilder, deadline: Duration) -> RateLimiterBuilder {
    builder.on_error(OnError::Deny).deny_cache(false).deadline(deadline)
}

#[tokio::test]
async fn a_refused_stack_needs_no_return_of_units() {
    let server = cluster_of_one();
    let limiter = strict(counted_at(&on_slots(&server)), PATIENCE).connect().await.unwrap();
    let one = Limit::counter(1, FIRST.time());
    let stack: Stack<'_> =
        [(&one, &Key::new("stack").by("alice"), 1), (&SECOND_LIMIT, &Key::new("stack").by("everybody"), 1)];
    limiter.check_all(&stack).await.unwrap();
    let before = script_calls(&server);
    for _ in 0..10 {
        assert!(matches!(limiter.check_all(&stack).await, Err(Rejection::Limited(_))));
    }
    assert_eq!(script_calls(&server) - before, 20, "two questions for each");
}

/// An identity whose keys are on the node with this port.
pub(super) fn identity_at(cluster: &Cluster, port: u16) -> String {
    let names = (0..10_000).map(|number| format!("u{number}"));
    let mut there = names.filter(|name| cluster.primary_of(cluster.slot_of(name)) == port);
    there.next().unwrap()
}

async fn calls(limiter: &RateLimiter, first: &str, second: &str) -> Result<(), Rejection> {
    let stack: Stack<'_> =
        [(&FIRST, &Key::new("stack").by(first), 1), (&SECOND_LIMIT, &Key::new("stack").by(second), 1)];
    limiter.check_all(&stack).await.map(drop)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_missed_deadline_counts_against_the_awaited_node() {
    let cluster = Cluster::start(3);
    let [healthy, slow, ..] = cluster.primaries()[..] else { panic!("three primaries") };
    let (first, second) = (identity_at(&cluster, healthy), identity_at(&cluster, slow));
    let patient = strict(limiter_at(cluster.url()), PATIENCE).connect().await.unwrap();
    calls(&patient, &first, &second).await.unwrap();
    let limiter = strict(limiter_at(cluster.url()), SECOND / 2).connect().await.unwrap();
    calls(&limiter, &first, &second).await.unwrap();
    let suspended = Suspended::new(cluster.server(slow));
    // The slow node is silent. Every call needs both nodes, so no call succeeds.
    let waiting: Vec<_> = (0..=MANY)
        .map(|_| {
            let (limiter, first, second) = (limiter.clone(), first.clone(), second.clone());
            tokio::spawn(async move { calls(&limiter, &first, &second).await })
        })
        .collect();
    for call in waiting {
        assert!(call.await.unwrap().is_err());
    }
    let single = limiter.check(&FIRST, Key::new("single").by(&first)).await;
    assert!(single.is_ok(), "the node that has answered is held to be slow: {single:?}");
    drop(suspended);
}

#[tokio::test]
async fn a_silent_cluster_costs_as_many_deadlines_as_a_server() {
    let server = cluster_of_one();
    let limiter = strict(limiter_on_slots(&server), SECOND / 20).build().unwrap();
    let suspended = Suspended::new(&server);
    let mut missed = 0;
    // The first call only loads the overrides. Its missed deadline does not count against the server.
    for _ in 0..100 {
        match undecided(limiter.check(&FIRST, "calls").await).kind() {
            ErrorKind::Timeout => missed += 1,
            _ => break,
        }
    }
    assert!(missed <= MANY + 1, "{missed} deadlines");
    drop(suspended);
    wait_until_reachable(&limiter).await;
}

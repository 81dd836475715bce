//! Stacks on several slots leave nothing behind if they are refused, dropped, late or undecided: no ticket, no turn, no permit and
//! no units.

use super::slow_nodes::identity_at;
use crate::harness::{
    PATIENCE, Suspended, TestRequest, cluster_of_one, counted_at, decide, key, limiter_at, on_slots,
    poll_once, script_calls, soon, used_under, wait_for,
};
use ratelimit::store::Mode;
use ratelimit::{AsKey, Decision, Key, Limit, OnError, RateLimiter, RedisStore, Rejection, rate_limit};
use redis::Connection;
use support::{Cluster, DAY, HOUR, MINUTE, MS, RedisServer};

#[rate_limit(key = "daily", time = "1d", count = 1, by = caller, limiter = limiter)]
#[rate_limit(key = "jobs", time = "1h", count = 1, algorithm = "concurrency", wait = "1h", by = tenant_of(caller))]
async fn job(limiter: &RateLimiter, caller: &str) -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(
    key = "mails", time = "1m", count = 60, algorithm = "leaky_bucket", wait = "1m", by = tenant_of(caller),
    limiter = limiter
)]
#[rate_limit(key = "daily", time = "1d", count = 1, by = caller)]
async fn mail(limiter: &RateLimiter, caller: &str) -> Result<(), Rejection> {
    Ok(())
}

/// The tenant of a caller such as `7 alice`.
fn tenant_of(caller: &str) -> String {
    format!("tenant {}", caller.split(' ').next().unwrap_or_default())
}

const JOBS: Limit = Limit::concurrency(1, HOUR).wait(HOUR);

fn jobs_of(tenant: u32) -> impl AsKey {
    Key::new("jobs").by(format!("tenant {tenant}"))
}

async fn on_one_node(server: &RedisServer) -> RateLimiter {
    counted_at(&on_slots(server)).deny_cache(false).connect().await.unwrap()
}

/// The permits and tickets in the server.
fn in_queues(raw: &mut Connection) -> u32 {
    let keys: Vec<String> = redis::cmd("KEYS").arg("*:cc2").query(raw).unwrap();
    keys.iter().map(|key| redis::cmd("ZCARD").arg(key).query::<u32>(raw).unwrap()).sum()
}

#[tokio::test]
async fn refused_and_dropped_calls_leave_no_ticket() {
    let server = cluster_of_one();
    let (limiter, mut raw) = (on_one_node(&server).await, server.raw());
    for tenant in 0..10 {
        let used_up = format!("{tenant} used up");
        job(&limiter, &used_up).await.unwrap();
        limiter.close().await;
        let held = limiter.permit(&JOBS, jobs_of(tenant)).await.unwrap();
        for _ in 0..3 {
            let refused = job(&limiter, &used_up).await.unwrap_err();
            assert_eq!(refused.name(), "daily");
        }
        let before = script_calls(&server);
        let mut waiting = [0, 1, 2].map(|caller| {
            let limiter = limiter.clone();
            Box::pin(async move { job(&limiter, &format!("{tenant} {caller}")).await })
        });
        // Each call has asked for the permit, and waits.
        wait_for("the calls wait", async || {
            for call in &mut waiting {
                assert!(poll_once(call).await.is_pending());
            }
            script_calls(&server) >= before + 6
        })
        .await;
        drop(waiting);
        drop(held);
        limiter.close().await;
        assert_eq!(in_queues(&mut raw), 0, "{tenant}");
        soon(job(&limiter, &format!("{tenant} next"))).await.unwrap();
        limiter.close().await;
    }
}

/// The permit is returned in another process, which cannot wake the call.
#[tokio::test]
async fn a_waiting_stack_notices_a_permit_of_another_process() {
    let (slots, server) = (cluster_of_one(), RedisServer::start());
    for url in [on_slots(&slots), server.url()] {
        let (one, other) = (counted_at(&url).build().unwrap(), counted_at(&url).build().unwrap());
        let held = one.permit(&JOBS, jobs_of(1)).await.unwrap();
        let mut waiting = Box::pin(job(&other, "1 caller"));
        for _ in 0..20 {
            assert!(poll_once(&mut waiting).await.is_pending());
            tokio::time::sleep(MS).await;
        }
        drop(held);
        one.close().await;
        soon(waiting).await.unwrap();
        other.close().await;
    }
}

#[tokio::test]
async fn refused_calls_take_no_turn() {
    let server = cluster_of_one();
    let (limiter, mut raw) = (on_one_node(&server).await, server.raw());
    for tenant in 0..10 {
        let used_up = format!("{tenant} used up");
        mail(&limiter, &used_up).await.unwrap();
        let mut queue = || {
            let mut keys: Vec<String> = redis::cmd("KEYS").arg("*:lb2").query(&mut raw).unwrap();
            keys.sort();
            keys.iter()
                .map(|key| redis::cmd("GET").arg(key).query(&mut raw).unwrap())
                .collect::<Vec<String>>()
        };
        let before = queue();
        let calls: Vec<_> = (0..8)
            .map(|_| {
                let (limiter, used_up) = (limiter.clone(), used_up.clone());
                tokio::spawn(async move { mail(&limiter, &used_up).await })
            })
            .collect();
        for call in calls {
            assert_eq!(call.await.unwrap().unwrap_err().name(), "daily");
        }
        assert_eq!(queue(), before, "{tenant}");
    }
}

/// The limit that refuses is decided last. Two limits on one slot, and one on another slot, were charged before.
#[tokio::test]
async fn a_refused_stack_gets_all_units_back() {
    let server = cluster_of_one();
    let limiter = on_one_node(&server).await;
    let [short, log, bucket, last] = [
        Limit::counter(10, MINUTE),
        Limit::sliding_log(10, MINUTE),
        Limit::token_bucket(10, 2 * MINUTE),
        Limit::counter(1, DAY),
    ];
    for caller in 0..10_u32 {
        let (one, two) = (Key::new("short").by(caller), Key::new("log").by(caller));
        let (three, four) = (Key::new("bucket").by(("tenant", caller)), Key::new("last").by(("all", caller)));
        let stack: [(&Limit, &dyn AsKey, u32); 4] =
            [(&short, &one, 2), (&log, &two, 3), (&bucket, &three, 4), (&last, &four, 1)];
        limiter.check_all(&stack).await.unwrap();
        let left = async || {
            [
                limiter.peek(&short, &one).await.unwrap().remaining(),
                limiter.peek(&log, &two).await.unwrap().remaining(),
                limiter.peek(&bucket, &three).await.unwrap().remaining(),
            ]
        };
        let before = left().await;
        let refused = limiter.check_all(&stack).await.unwrap_err();
        assert_eq!(refused.name(), "last");
        assert!(left().await.iter().zip(before).all(|(left, before)| *left >= before), "{caller}");
    }
}

/// Two nodes: the first decides, and the second is silent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropped_and_late_stacks_get_all_units_back() {
    let cluster = Cluster::start(3);
    let [healthy, silent, ..] = cluster.primaries()[..] else { panic!("three primaries") };
    let (first, second) = (identity_at(&cluster, healthy), identity_at(&cluster, silent));
    let connect = async |deadline| {
        let limiter = limiter_at(cluster.url()).deny_cache(false).deadline(deadline).on_error(OnError::Deny);
        let limiter = limiter.connect().await.unwrap();
        // Loads the overrides and connects to both nodes.
        for identity in [&first, &second] {
            limiter.check(&Limit::counter(9, DAY), Key::new("connect").by(identity)).await.unwrap();
        }
        limiter
    };
    let (patient, hasty) = (connect(PATIENCE).await, connect(300 * MS).await);
    let (short, long) = (Limit::counter(10, MINUTE), Limit::counter(10, HOUR));
    let (one, two) = (Key::new("short").by(&first), Key::new("long").by(&second));
    let used = async || 10 - patient.peek(&short, &one).await.unwrap().remaining();
    let suspended = Suspended::new(cluster.server(silent));
    let stack: [(&Limit, &dyn AsKey, u32); 2] = [(&short, &one, 4), (&long, &two, 1)];
    let mut dropped = Box::pin(patient.check_all(&stack));
    wait_for("the first node has decided", async || {
        assert!(poll_once(&mut dropped).await.is_pending());
        used().await == 4
    })
    .await;
    // The reply about the units in use came on the same connection, after the reply to the call.
    assert!(poll_once(&mut dropped).await.is_pending());
    drop(dropped);
    wait_for("the units of the dropped call are back", async || used().await == 0).await;
    let late = hasty.check_all(&stack).await;
    assert!(matches!(late, Err(Rejection::Unavailable(_))), "{late:?}");
    wait_for("the units of the late call are back", async || used().await == 0).await;
    drop(suspended);
}

/// Two stacks in one call of the store. The caller gets no decision about the first stack, so its units come back.
#[tokio::test]
async fn an_error_gives_back_the_stacks_before_it() {
    let server = cluster_of_one();
    let store = RedisStore::new(&on_slots(&server)).unwrap();
    let limit = Limit::counter(10, HOUR);
    redis::cmd("RPUSH").arg(key(2, &limit)).arg("foreign").exec(&mut server.raw()).unwrap();
    for mode in [Mode::Check, Mode::Charge] {
        let requests = [0, 1, 2].map(|key| TestRequest::new(key, limit, 3));
        let error = decide(&store, mode, &requests).await.unwrap_err();
        assert!(error.to_string().contains("not the state of a rate limit"), "{error}");
        wait_for("all units are back", async || {
            used_under(&store, 0, limit).await + used_under(&store, 1, limit).await == 0
        })
        .await;
    }
}

/// All limits of a stack have a decision, also if a limit with a wait is not charged.
#[tokio::test]
async fn a_refused_stack_has_a_decision_for_each_limit() {
    let server = cluster_of_one();
    let store = RedisStore::new(&on_slots(&server)).unwrap();
    let (used_up, waits) = (Limit::counter(1, DAY), Limit::leaky_bucket(60, MINUTE).wait(MINUTE));
    let stack =
        [TestRequest { with_next: true, ..TestRequest::new(0, waits, 1) }, TestRequest::new(1, used_up, 1)];
    let allowed = |decisions: Vec<Decision>| [decisions[0].is_allowed(), decisions[1].is_allowed()];
    let admitted = decide(&store, Mode::Charge, &stack).await.unwrap();
    assert!(admitted.iter().all(|decision| decision.stamp() > 0));
    assert_eq!(allowed(admitted), [true, true]);
    for _ in 0..3 {
        let refused = decide(&store, Mode::Charge, &stack).await.unwrap();
        assert_eq!(allowed(refused), [true, false], "the queue has turns within the wait");
    }
}

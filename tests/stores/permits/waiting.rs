//! Calls that wait for a permit. They are admitted in order of arrival, a return in the same process wakes them at once, and
//! they poll for returns in other processes. They leave nothing behind.

use crate::harness::{PATIENCE, assert_all_expire, limiter_on, script_calls, server_time_us, soon};
use ratelimit::store::{Adjusted, Adjustment, Decisions, Mode, Reply, Request, Store, StoreKey};
use ratelimit::{Decision, Limit, OnError, RateLimiter, RedisStore, Rejection};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::{HOUR, RedisServer};
use tokio::task::JoinHandle;

/// A limit of one permit whose lease and wait are longer than a test.
const ONE: Limit = Limit::concurrency(1, HOUR).wait(HOUR);

/// A store that makes waiting calls poll again only after an hour, so an earlier request shows that the call was woken. With
/// `late`, its refusals are delayed.
struct AskInAnHour {
    store: RedisStore,
    late: Arc<AtomicBool>,
}

impl Store for AskInAnHour {
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
        let limits: Vec<Limit> = requests.iter().map(|request| *request.limit()).collect();
        let (reply, late) = (self.store.decide(mode, requests), Arc::clone(&self.late));
        let later = |(decision, limit): (Decision, &Limit)| match decision.retry_after() {
            Some(_) => Decision::refuse(limit, decision.remaining(), Some(HOUR), decision.reset_after()),
            None => decision,
        };
        Reply::pending(async move {
            let decisions = reply.await?;
            while late.load(Ordering::Relaxed) && decisions.iter().any(|decision| !decision.is_allowed()) {
                tokio::task::yield_now().await;
            }
            Ok(decisions.iter().copied().zip(&limits).map(later).collect())
        })
    }

    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        self.store.adjust(adjustments)
    }

    fn reset(&self, keys: &[StoreKey]) -> Reply<u64> {
        self.store.reset(keys)
    }
}

/// A limiter with an [`AskInAnHour`] store. The server has loaded its scripts.
async fn limiter_that_must_be_woken(server: &RedisServer, late: &Arc<AtomicBool>) -> RateLimiter {
    let store = AskInAnHour { store: RedisStore::new(&server.url()).unwrap(), late: Arc::clone(late) };
    let limiter = RateLimiter::builder().store(store).deadline(PATIENCE).on_error(OnError::Deny);
    let limiter = limiter.connect().await.unwrap();
    drop(limiter.permit(&ONE, "permits").await.unwrap());
    limiter.close().await;
    limiter
}

/// The number of permits and tickets in the server.
fn in_queue(raw: &mut redis::Connection) -> usize {
    redis::cmd("ZCARD").arg("ratelimit:{permits}:cc2").query(raw).unwrap()
}

/// Starts a call, and waits until it is in the queue and the server's clock has advanced by a millisecond.
async fn queue<T: Send + 'static>(
    raw: &mut redis::Connection,
    call: impl Future<Output = T> + Send + 'static,
) -> JoinHandle<T> {
    let before = in_queue(raw);
    let call = tokio::spawn(call);
    soon(async {
        while in_queue(raw) == before {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let arrived = server_time_us(raw) / 1000;
    while server_time_us(raw) / 1000 == arrived {}
    call
}

/// Takes a permit, records the number of the call, and returns the permit.
async fn sign(limiter: RateLimiter, number: usize, list: Arc<Mutex<Vec<usize>>>) {
    let _permit = limiter.permit(&ONE, "permits").await.unwrap();
    list.lock().unwrap().push(number);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_calls_get_the_permit_in_order_of_arrival() {
    const CALLS: usize = 20;
    let server = RedisServer::start();
    let (limiter, mut raw) = (limiter_that_must_be_woken(&server, &Arc::default()).await, server.raw());
    let permit = limiter.permit(&ONE, "permits").await.unwrap();
    let list = Arc::new(Mutex::new(Vec::new()));
    let mut calls = Vec::new();
    for number in 0..CALLS {
        calls.push(queue(&mut raw, sign(limiter.clone(), number, Arc::clone(&list))).await);
    }
    assert_all_expire(&server, &[ONE]);
    let calls_before = script_calls(&server);
    drop(permit);
    for call in calls {
        soon(call).await.unwrap();
    }
    limiter.close().await;
    assert_eq!(*list.lock().unwrap(), (0..CALLS).collect::<Vec<_>>());
    assert_eq!(
        script_calls(&server) - calls_before,
        1 + 2 * CALLS as u64,
        "calls that are not next must not ask"
    );
    assert_eq!(in_queue(&mut raw), 0);
}

#[tokio::test]
async fn two_returned_permits_wake_two_calls() {
    let server = RedisServer::start();
    let (limiter, mut raw) = (limiter_that_must_be_woken(&server, &Arc::default()).await, server.raw());
    let limit = Limit::concurrency(2, HOUR).wait(HOUR);
    let permit = || {
        let limiter = limiter.clone();
        async move { limiter.permit(&limit, "permits").await.unwrap() }
    };
    let held = [permit().await, permit().await];
    let waiting = [queue(&mut raw, permit()).await, queue(&mut raw, permit()).await];
    drop(held);
    let [first, second] = waiting;
    let both = (soon(first).await.unwrap(), soon(second).await.unwrap());
    drop(both);
    limiter.close().await;
    assert_eq!(in_queue(&mut raw), 0);
}

#[tokio::test]
async fn a_permit_that_is_returned_before_the_refusal_arrives_is_noticed() {
    let (server, late) = (RedisServer::start(), Arc::new(AtomicBool::new(false)));
    let (limiter, mut raw) = (limiter_that_must_be_woken(&server, &late).await, server.raw());
    let held = limiter.permit(&ONE, "permits").await.unwrap();
    late.store(true, Ordering::Relaxed);
    let caller = limiter.clone();
    let call = queue(&mut raw, async move { drop(caller.permit(&ONE, "permits").await.unwrap()) }).await;
    drop(held);
    limiter.close().await;
    late.store(false, Ordering::Relaxed);
    soon(call).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_limiters_share_one_queue() {
    let server = RedisServer::start();
    let mut limiters = Vec::new();
    for _ in 0..2 {
        limiters.push(limiter_on(&server).on_error(OnError::Deny).connect().await.unwrap());
    }
    let mut raw = server.raw();
    let permit = limiters[0].permit(&ONE, "permits").await.unwrap();
    let list = Arc::new(Mutex::new(Vec::new()));
    let mut calls = Vec::new();
    for number in 0..10 {
        let limiter = limiters[(number + 1) % 2].clone();
        calls.push(queue(&mut raw, sign(limiter, number, Arc::clone(&list))).await);
    }
    drop(permit);
    for call in calls {
        soon(call).await.unwrap();
    }
    assert_eq!(*list.lock().unwrap(), (0..10).collect::<Vec<_>>());
    for limiter in limiters {
        limiter.close().await;
    }
    assert_eq!(in_queue(&mut raw), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_call_lets_the_next_one_pass() {
    let server = RedisServer::start();
    let (limiter, mut raw) = (limiter_that_must_be_woken(&server, &Arc::default()).await, server.raw());
    let limit = Limit::concurrency(2, HOUR).wait(HOUR);
    let permit = |cost| {
        let limiter = limiter.clone();
        async move { limiter.permit_cost(&limit, "permits", cost).await.unwrap() }
    };
    let held = permit(1).await;
    // The second call has enough permits, but must wait until the first call has left the queue.
    let first = queue(&mut raw, permit(2)).await;
    let second = queue(&mut raw, permit(1)).await;
    assert_eq!(in_queue(&mut raw), 3, "a permit and two tickets");
    assert_all_expire(&server, &[limit]);
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    drop(soon(second).await.unwrap());
    drop(held);
    limiter.close().await;
    assert_eq!(in_queue(&mut raw), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_whose_wait_ends_is_refused_and_leaves_no_ticket() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).on_error(OnError::Deny).connect().await.unwrap();
    let limit = ONE.wait(Duration::from_millis(50));
    let held = limiter.permit(&limit, "permits").await.unwrap();
    let started = server_time_us(&mut server.raw());
    let Rejection::Limited(refused) = limiter.permit(&limit, "permits").await.unwrap_err() else {
        panic!("it could be decided");
    };
    assert!(server_time_us(&mut server.raw()) - started >= 50_000, "not before the wait is over");
    // `retry_after` is the time after which the lease of the held permit has ended.
    let retry_after = refused.decision().retry_after().unwrap();
    assert!(retry_after > HOUR / 2 && retry_after <= HOUR, "{retry_after:?}");
    assert_all_expire(&server, &[limit]);
    limiter.close().await;
    assert_eq!(in_queue(&mut server.raw()), 0, "close has given the permit back, too");
    drop(held);
}

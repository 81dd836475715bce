//! Calls that are dropped at random times. The counted units are between the number of confirmed calls and the number of
//! started calls. No permit or turn stays in use.

use crate::harness::{HUGE, assert_all_expire, limiter_on, operations, poll_once, seed};
use ratelimit::{Limit, OnError, RateLimiter};
use std::fmt::Debug;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;
use support::{RedisServer, SECOND};

const TASKS: u64 = 64;
const PERMITS: Limit = Limit::concurrency(8, SECOND);
const WAITING: Limit = PERMITS.wait(SECOND);
const QUEUE: Limit = Limit::leaky_bucket(1000, SECOND).wait(SECOND);

/// The numbers of started and confirmed calls of the counter, and of all dropped calls.
#[derive(Default)]
struct Counted {
    started: AtomicU32,
    confirmed: AtomicU32,
    dropped: AtomicUsize,
}

/// The state of one task.
struct Caller {
    limiter: RateLimiter,
    counted: Arc<Counted>,
    random: fastrand::Rng,
}

impl Caller {
    async fn drop_calls_until(mut self, dropped: usize) {
        while self.counted.dropped.load(Ordering::Relaxed) < dropped {
            let limiter = self.limiter.clone();
            match self.random.u8(..7) {
                0 => self.count(limiter.check(&HUGE, "count")).await,
                1 => self.count(Box::pin(limiter.acquire(&HUGE, "count"))).await,
                2 => self.count(Box::pin(limiter.charge(&HUGE, "count", 1))).await,
                3 => drop(self.drop_early(limiter.permit(&PERMITS, "permits")).await),
                4 => drop(self.drop_early(limiter.permit(&WAITING, "permits")).await),
                5 => drop(self.drop_early(limiter.permit_cost(&WAITING, "permits", 3)).await),
                _ => drop(self.drop_early(limiter.acquire(&QUEUE, "queue")).await),
            }
        }
    }

    /// Calls the counter, which is never used up. A quarter of the calls are not dropped, so that the server keeps up.
    async fn count<T, E: Debug>(&mut self, call: impl Future<Output = Result<T, E>>) {
        self.counted.started.fetch_add(1, Ordering::Relaxed);
        let patient = self.random.u8(..4) == 0;
        if let Some(answer) = if patient { Some(call.await) } else { self.drop_early(call).await } {
            answer.unwrap();
            self.counted.confirmed.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Polls a call a few times or runs it for at most 3 ms. Drops it if it is not ready.
    async fn drop_early<T>(&mut self, call: impl Future<Output = T>) -> Option<T> {
        let answer = if self.random.u8(..4) == 0 {
            let time = Duration::from_micros(self.random.u64(..3000));
            tokio::time::timeout(time, call).await.ok()
        } else {
            let polls = self.random.u8(..6);
            poll_at_most(polls, call).await
        };
        if answer.is_none() {
            self.counted.dropped.fetch_add(1, Ordering::Relaxed);
        }
        answer
    }
}

async fn poll_at_most<T>(polls: u8, call: impl Future<Output = T>) -> Option<T> {
    let mut call = pin!(call);
    for _ in 0..polls {
        if let Poll::Ready(answer) = poll_once(&mut call).await {
            return Some(answer);
        }
        tokio::task::yield_now().await;
    }
    None
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropped_calls_lose_no_units() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).on_error(OnError::Deny).connect().await.unwrap();
    let counted = Arc::new(Counted::default());
    let (calls, seed) = (operations(30_000), seed());
    let caller = |task| {
        let (limiter, counted) = (limiter.clone(), Arc::clone(&counted));
        Caller { limiter, counted, random: fastrand::Rng::with_seed(seed + task) }.drop_calls_until(calls)
    };
    let tasks: Vec<_> = (0..TASKS).map(|task| tokio::spawn(caller(task))).collect();
    for task in tasks {
        task.await.unwrap();
    }
    limiter.close().await;

    let left: usize = redis::cmd("ZCARD").arg("ratelimit:{permits}:cc2").query(&mut server.raw()).unwrap();
    assert_eq!(left, 0, "permits or tickets without a holder");
    let used = HUGE.count() - limiter.peek(&HUGE, "count").await.unwrap().remaining();
    let [least, most] = [&counted.confirmed, &counted.started].map(|count| count.load(Ordering::Relaxed));
    assert!(least <= used && used <= most, "{used} used, {least} confirmed, {most} started");
    let few = u32::try_from(calls / 30).unwrap();
    assert!(least > few && most > least + few, "{least} of {most} prove little");
    assert_all_expire(&server, &[HUGE, WAITING, QUEUE]);
}

//! A server that forgets its scripts again and again, while it is asked: nobody hears of it, and every call is counted once.

use crate::setup::{limiter_on, rounds};
use ratelimit::{Limit, OnError, RateLimiter};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use support::RedisServer;
use tokio::task::JoinSet;

const DAILY: Limit = Limit::counter(4_000_000_000, Duration::from_secs(86_400));

/// Makes a server forget its scripts, with a pause in between, until it is told to stop.
struct Interference {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<u32>,
}

impl Interference {
    fn start(server: &RedisServer, pause: Duration) -> Self {
        let (mut raw, stop) = (server.raw(), Arc::<AtomicBool>::default());
        let told = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let mut flushes = 0;
            while !told.load(Ordering::Relaxed) {
                redis::cmd("SCRIPT").arg("FLUSH").exec(&mut raw).unwrap();
                flushes += 1;
                thread::sleep(pause);
            }
            flushes
        });
        Self { stop, thread }
    }

    /// How often it has forgotten them.
    fn stop(self) -> u32 {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

/// Calls from several tasks at once, none of which may fail or be refused.
async fn call(limiter: &RateLimiter, tasks: u32, each: u32) {
    let mut calling = JoinSet::new();
    for _ in 0..tasks {
        let limiter = limiter.clone();
        calling.spawn(async move {
            for _ in 0..each {
                limiter.check(&DAILY, "calls").await.unwrap();
            }
        });
    }
    calling.join_all().await;
}

async fn used(limiter: &RateLimiter) -> u32 {
    DAILY.count() - limiter.peek(&DAILY, "calls").await.unwrap().remaining()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_forgets_all_the_time_is_reminded() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).on_error(OnError::Deny).build().await.unwrap();
    let interference = Interference::start(&server, Duration::ZERO);
    call(&limiter, 8, 1000).await;
    let flushes = interference.stop();
    assert!(flushes > 10, "{flushes} flushes prove little");
    assert_eq!(used(&limiter).await, 8000);
}

/// Every 10 ms, and as many calls as there can be: more than 20 000 a second in the soak.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_forgets_now_and_then_is_reminded() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).on_error(OnError::Deny).build().await.unwrap();
    let (tasks, each) = (256, rounds(100, 10_000));
    let interference = Interference::start(&server, Duration::from_millis(10));
    let start = Instant::now();
    call(&limiter, tasks, each).await;
    let (flushes, seconds) = (interference.stop(), start.elapsed().as_secs_f64());
    println!("{flushes} flushes, {:.0} calls a second", f64::from(tasks * each) / seconds);
    assert!(flushes > 10, "{flushes} flushes prove little");
    assert_eq!(used(&limiter).await, tasks * each);
}

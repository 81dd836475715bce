//! Servers that forget their scripts under load. Callers see no error, and every call is counted once.

use crate::harness::{call_from_tasks, limiter_at, rounds, used};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use support::{MS, RedisServer};

/// A thread that repeatedly makes a server forget its scripts.
struct ScriptFlusher {
    stop: Arc<AtomicBool>,
    flushes: Arc<AtomicU32>,
    thread: JoinHandle<()>,
}

impl ScriptFlusher {
    fn start(server: &RedisServer, pause: Duration) -> Self {
        let (mut raw, stop, flushes) =
            (server.raw(), Arc::<AtomicBool>::default(), Arc::<AtomicU32>::default());
        let (stopped, counted) = (Arc::clone(&stop), Arc::clone(&flushes));
        let thread = thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                redis::cmd("SCRIPT").arg("FLUSH").exec(&mut raw).unwrap();
                counted.fetch_add(1, Ordering::Relaxed);
                thread::sleep(pause);
            }
        });
        Self { stop, flushes, thread }
    }

    fn flushes(&self) -> u32 {
        self.flushes.load(Ordering::Relaxed)
    }

    fn stop(self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_is_counted_once_while_a_server_forgets_its_scripts() {
    // Without a pause, nearly every call finds no script. With a pause, calls are in flight when the script disappears.
    for (pause, tasks, each) in [(Duration::ZERO, 8, 1000), (10 * MS, 256, rounds(100, 10_000))] {
        let server = RedisServer::start();
        let limiter = limiter_at(server.url()).connect().await.unwrap();
        let thread = ScriptFlusher::start(&server, pause);
        let start = Instant::now();
        let mut calls = tasks * each;
        call_from_tasks(&limiter, tasks, each).await;
        // On a busy machine, the thread makes few flushes.
        while thread.flushes() <= 10 {
            call_from_tasks(&limiter, tasks, 1).await;
            calls += tasks;
        }
        let (flushes, seconds) = (thread.flushes(), start.elapsed().as_secs_f64());
        println!("{flushes} flushes, {:.0} calls per second", f64::from(calls) / seconds);
        thread.stop();
        assert_eq!(used(&limiter).await, calls);
    }
}

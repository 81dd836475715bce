//! A server that forgets its scripts under load: callers see no error, and every call is counted once.

use crate::harness::{call_from_tasks, limiter_at, rounds, used};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use support::{MS, RedisServer};

/// A thread that makes a server forget its scripts, again and again.
struct ScriptFlusher {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<u32>,
}

impl ScriptFlusher {
    fn start(server: &RedisServer, pause: Duration) -> Self {
        let (mut raw, stop) = (server.raw(), Arc::<AtomicBool>::default());
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let mut flushes = 0;
            while !stopped.load(Ordering::Relaxed) {
                redis::cmd("SCRIPT").arg("FLUSH").exec(&mut raw).unwrap();
                flushes += 1;
                thread::sleep(pause);
            }
            flushes
        });
        Self { stop, thread }
    }

    /// Stops the thread. Returns the number of flushes.
    fn stop(self) -> u32 {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().unwrap()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_is_counted_once_while_a_server_forgets_its_scripts() {
    // Without a pause, nearly every call finds the script missing. With one, calls are in flight when it disappears.
    for (pause, tasks, each) in [(Duration::ZERO, 8, 1000), (10 * MS, 256, rounds(100, 10_000))] {
        let server = RedisServer::start();
        let limiter = limiter_at(server.url()).connect().await.unwrap();
        let thread = ScriptFlusher::start(&server, pause);
        let start = Instant::now();
        call_from_tasks(&limiter, tasks, each).await;
        let (flushes, seconds) = (thread.stop(), start.elapsed().as_secs_f64());
        println!("{flushes} flushes, {:.0} calls per second", f64::from(tasks * each) / seconds);
        assert!(flushes > 10, "{flushes} flushes prove little");
        assert_eq!(used(&limiter).await, tasks * each);
    }
}

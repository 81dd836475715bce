//! The time that a call takes during an outage, compared with a sleep of its deadline or a decision in memory.
//!
//! Times are asserted in the soak only, where nothing else runs. The ordinary run asserts that each call is decided.

use super::unreliable_server::{DEADLINE, FAULTS, Fault, UnreliableServer};
use crate::harness::{is_soak, rounds, wait_until_reachable};
use ratelimit::{Key, Limit, MemoryStore, OnError, RateLimiter, Rejection, rate_limit};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::{MS, SECOND, Traffic};
use tokio::task::JoinSet;

#[rate_limit(key = "outage", count = 4_000_000_000, time = "1d", on_error = "local", limiter = limiter)]
async fn decorated(limiter: &RateLimiter) -> Result<(), Rejection> {
    Ok(())
}

/// How long each repetition of an action took.
#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    fn percentile_99_9(mut self) -> Duration {
        self.0.sort();
        self.0[self.0.len() - 1 - self.0.len() / 1000]
    }
}

/// Repeats an action in 50 tasks, with a pause after each repetition, until `stop` is set.
async fn repeat<F: Future<Output = ()> + Send>(
    stop: &Arc<AtomicBool>,
    pause: Duration,
    act: impl Fn() -> F + Clone + Send + 'static,
) -> Times {
    let mut tasks = JoinSet::new();
    for task in 0..50_u32 {
        let (stop, act) = (Arc::clone(stop), act.clone());
        tasks.spawn(async move {
            let mut times = Vec::new();
            tokio::time::sleep(pause * task / 50).await;
            while !stop.load(Ordering::Relaxed) {
                let start = Instant::now();
                act().await;
                times.push(start.elapsed());
                tokio::time::sleep(pause).await;
            }
            times
        });
    }
    Times(tasks.join_all().await.concat())
}

/// The resident memory of this process in MB, where `/proc` shows it.
fn resident_mb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? / 1024)
}

/// In the soak, each fault lasts five seconds under thousands of calls per second. No call takes longer than a sleep of its
/// deadline, the limiter reaches the server again within a second, and memory does not grow.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_takes_no_longer_than_its_deadline() {
    let faults = rounds(1, u32::MAX) as usize;
    for fault in FAULTS.into_iter().chain([Fault::Network(Traffic::Slice)]).take(faults) {
        let mut server = UnreliableServer::start();
        let limiter = server.limiter(OnError::Local).await;
        let stop = Arc::<AtomicBool>::default();
        let calls = tokio::spawn({
            let (stop, limiter) = (Arc::clone(&stop), limiter.clone());
            async move {
                let call = move || {
                    let limiter = limiter.clone();
                    async move { decorated(&limiter).await.unwrap() }
                };
                repeat(&stop, 10 * MS, call).await
            }
        });
        let sleeps = tokio::spawn({
            let stop = Arc::clone(&stop);
            async move { repeat(&stop, MS, || tokio::time::sleep(DEADLINE)).await }
        });
        tokio::time::sleep(SECOND / 2).await;
        let before = resident_mb();
        server.begin(fault);
        tokio::time::sleep(rounds(1, 5) * SECOND).await;
        let after = resident_mb();
        server.end();
        let ended = Instant::now();
        wait_until_reachable(&limiter).await;
        let reached = ended.elapsed();
        stop.store(true, Ordering::Relaxed);
        let (calls, sleeps) = (calls.await.unwrap(), sleeps.await.unwrap());
        let number = calls.0.len();
        let (call, sleep) = (calls.percentile_99_9(), sleeps.percentile_99_9());
        println!(
            "{fault:?}: {number} calls, 99.9 % within {call:?}, sleeps within {sleep:?}, reached after {reached:?}"
        );
        let in_time = call <= sleep + 10 * MS && reached <= SECOND + 100 * MS;
        assert!(in_time || !is_soak(), "{fault:?}");
        let grown = after.zip(before).map_or(0, |(after, before)| after.saturating_sub(before));
        assert!(grown < 20, "{fault:?}: {grown} MB more");
    }
}

/// The mean time of calls that are made one after another.
async fn time_per_call(limiter: &RateLimiter) -> Duration {
    let calls = rounds(1000, 100_000);
    let (start, limit) = (Instant::now(), Limit::counter(1000, 60 * SECOND));
    for caller in 0..calls {
        limiter.check(&limit, Key::new("cost").by(caller % 1000)).await.unwrap();
    }
    start.elapsed() / calls
}

/// While the server is known to be unreachable or too slow, a decision costs little more than one in memory.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_decision_without_its_server_costs_little_more_than_one_in_memory() {
    for fault in [Traffic::Refuse, Traffic::DelayReplies(SECOND / 2)] {
        let mut server = UnreliableServer::start();
        let unreachable = server.limiter(OnError::Local).await;
        let memory = RateLimiter::builder().store(MemoryStore::new()).connect().await.unwrap();
        server.begin(Fault::Network(fault));
        for _ in 0..100 {
            // The limiter learns that the server is unavailable.
            let _ = unreachable.check(&Limit::counter(1, SECOND), "unreachable").await;
        }
        let mut more = Vec::new();
        for _ in 0..7 {
            let (without, with) = (time_per_call(&memory).await, time_per_call(&unreachable).await);
            more.push(with.saturating_sub(without));
        }
        more.sort();
        println!("{fault:?}: {:?} more than in memory", more[3]);
        assert!(more[3] <= Duration::from_micros(5) || !is_soak(), "{fault:?}: {more:?}");
    }
}

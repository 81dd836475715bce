//! What a call costs while the server is ill, beside what has to be paid anyhow: a sleep, or a decision in memory. That is
//! asserted in the soak, where nothing else runs; always, that each call is decided.

use crate::outages::{DEADLINE, Place, TROUBLES, Trouble, back};
use crate::setup::{SECOND, rounds};
use ratelimit::{Key, Limit, MemoryStore, OnError, RateLimiter, Rejection, rate_limit};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::Traffic;
use tokio::task::JoinSet;

const MS: Duration = Duration::from_millis(1);

/// Whether times are judged.
fn judges() -> bool {
    rounds(0, 1) == 1
}

/// What is limited, as users do.
#[rate_limit(key = "outage", count = 4_000_000_000, time = "1d", on_error = "local", limiter = limiter)]
async fn decorated(limiter: &RateLimiter) -> Result<(), Rejection> {
    Ok(())
}

/// How long each of something took.
#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    /// The 99.9th percentile.
    fn last_but_a_thousandth(mut self) -> Duration {
        self.0.sort();
        self.0[self.0.len() - 1 - self.0.len() / 1000]
    }
}

/// Does something again and again from many tasks, a pause in between, until it is told to stop.
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

/// This process's memory, in MB, where the system tells it.
fn resident_mb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? / 1024)
}

/// Five seconds of each trouble, thousands of calls a second: no call takes longer than a sleep of its deadline does at the
/// same time, the server is found again within a second, and nothing piles up.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_takes_no_longer_than_its_deadline() {
    let troubles = rounds(1, u32::MAX) as usize;
    for trouble in TROUBLES.into_iter().chain([Trouble::Way(Traffic::Slice)]).take(troubles) {
        let mut place = Place::new();
        let limiter = place.limiter(OnError::Local).await;
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
        place.begin(trouble);
        tokio::time::sleep(rounds(1, 5) * SECOND).await;
        let after = resident_mb();
        place.end();
        let ended = Instant::now();
        back(&limiter).await;
        let found = ended.elapsed();
        stop.store(true, Ordering::Relaxed);
        let (calls, sleeps) = (calls.await.unwrap(), sleeps.await.unwrap());
        let number = calls.0.len();
        let (call, sleep) = (calls.last_but_a_thousandth(), sleeps.last_but_a_thousandth());
        println!(
            "{trouble:?}: {number} calls, 99.9 % within {call:?}, sleeps within {sleep:?}, found after {found:?}"
        );
        let in_time = call <= sleep + 10 * MS && found <= SECOND + 100 * MS;
        assert!(in_time || !judges(), "{trouble:?}");
        let grown = after.zip(before).map_or(0, |(after, before)| after.saturating_sub(before));
        assert!(grown < 20, "{trouble:?}: {grown} MB more");
    }
}

/// The time that a call takes, one after another.
async fn time_per_call(limiter: &RateLimiter) -> Duration {
    let calls = rounds(1000, 100_000);
    let (start, limit) = (Instant::now(), Limit::counter(1000, 60 * SECOND));
    for caller in 0..calls {
        limiter.check(&limit, Key::new("cost").by(caller % 1000)).await.unwrap();
    }
    start.elapsed() / calls
}

/// Where the server is known to be away, or too slow, a decision costs little more than one in memory.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_decision_without_its_server_costs_little_more_than_one_in_memory() {
    for trouble in [Traffic::Refuse, Traffic::DelayReplies(SECOND / 2)] {
        let mut place = Place::new();
        let away = place.limiter(OnError::Local).await;
        let memory = RateLimiter::builder().store(MemoryStore::new()).build().await.unwrap();
        place.begin(Trouble::Way(trouble));
        for _ in 0..100 {
            // Until it is known.
            let _ = away.check(&Limit::counter(1, SECOND), "away").await;
        }
        let mut more = Vec::new();
        for _ in 0..7 {
            let (without, with) = (time_per_call(&memory).await, time_per_call(&away).await);
            more.push(with.saturating_sub(without));
        }
        more.sort();
        println!("{trouble:?}: {:?} more than in memory", more[3]);
        assert!(more[3] <= Duration::from_micros(5) || !judges(), "{trouble:?}: {more:?}");
    }
}

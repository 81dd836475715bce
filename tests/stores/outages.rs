//! Outages while calls go on: what a call costs, and how soon the server is found again.

use crate::setup::{SECOND, Stopped, limiter_on};
use ratelimit::{ErrorKind, Limit, OnError, RateLimiter, Rejection, rate_limit};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::{Proxy, RedisServer, Traffic};
use tokio::task::JoinSet;

const MS: Duration = Duration::from_millis(1);
const DEADLINE: Duration = Duration::from_millis(100);
const DAILY: Limit = Limit::counter(4_000_000_000, Duration::from_secs(86_400));
const CALLERS: usize = 32;
/// So many in a row have to wait in vain.
const MANY: usize = 5;

/// What a server may suffer.
#[derive(Clone, Copy, Debug)]
enum Trouble {
    Stopped,
    Way(Traffic),
}

const TROUBLES: [Trouble; 7] = [
    Trouble::Stopped,
    Trouble::Way(Traffic::Swallow),
    Trouble::Way(Traffic::DelayReplies(Duration::from_millis(300))),
    Trouble::Way(Traffic::LoseReplies),
    Trouble::Way(Traffic::CutReplies),
    Trouble::Way(Traffic::Reset),
    Trouble::Way(Traffic::Refuse),
];

/// A server, and the way to it.
struct Place {
    server: RedisServer,
    proxy: Proxy,
    stopped: Option<Stopped>,
}

impl Place {
    fn new() -> Self {
        let server = RedisServer::start();
        let proxy = Proxy::start(server.port());
        Self { server, proxy, stopped: None }
    }

    async fn limiter(&self, on_error: OnError) -> RateLimiter {
        let limiter = limiter_on(&self.server).redis(self.proxy.url()).deadline(DEADLINE).on_error(on_error);
        limiter.build().await.unwrap()
    }

    fn begin(&mut self, trouble: Trouble) {
        match trouble {
            Trouble::Stopped => self.stopped = Some(Stopped::stop(&self.server)),
            Trouble::Way(traffic) => self.proxy.set(traffic),
        }
    }

    fn end(&mut self) {
        drop(self.stopped.take());
        self.proxy.set(Traffic::Pass);
    }
}

async fn back(limiter: &RateLimiter) {
    let back = async {
        while limiter.peek(&DAILY, "calls").await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(SECOND * 20, back).await.expect("the limiter has not found its server again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outage_costs_few_deadlines() {
    for trouble in TROUBLES {
        let mut place = Place::new();
        let limiter = place.limiter(OnError::Deny).await;
        place.begin(trouble);
        let mut callers = JoinSet::new();
        for _ in 0..CALLERS {
            let limiter = limiter.clone();
            callers.spawn(async move {
                let mut deadlines = 0;
                for _ in 0..300 {
                    let kind = limiter.check(&DAILY, "calls").await.err().map(|error| error.kind());
                    deadlines += usize::from(kind == Some(ErrorKind::Timeout));
                }
                deadlines
            });
        }
        let deadlines: usize = callers.join_all().await.into_iter().sum();
        // Those that are under way when it is one too many; where a connection can still be made, once more.
        assert!(deadlines <= 2 * (MANY + CALLERS), "{trouble:?}: {deadlines} deadlines were waited for");
        place.end();
        back(&limiter).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_comes_in_slices_is_put_together() {
    let place = Place::new();
    let limiter = place.limiter(OnError::Deny).await;
    place.proxy.set(Traffic::Slice);
    let patient = limiter_on(&place.server).redis(place.proxy.url()).on_error(OnError::Deny);
    let patient = patient.build().await.unwrap();
    let mut calling = JoinSet::new();
    for _ in 0..CALLERS {
        let patient = patient.clone();
        calling.spawn(async move {
            for _ in 0..5 {
                assert!(patient.check(&DAILY, "calls").await.unwrap().allowed());
            }
        });
    }
    calling.join_all().await;
    back(&limiter).await;
    let left = patient.peek(&DAILY, "calls").await.unwrap().remaining();
    assert_eq!(DAILY.count() - left, 5 * u32::try_from(CALLERS).unwrap());
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
    if std::env::var_os("RATELIMIT_SOAK").is_none() {
        return;
    }
    for trouble in TROUBLES.into_iter().chain([Trouble::Way(Traffic::Slice)]) {
        let mut place = Place::new();
        let (limiter, watch) = (place.limiter(OnError::Local).await, place.limiter(OnError::Deny).await);
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
        tokio::time::sleep(5 * SECOND).await;
        let after = resident_mb();
        place.end();
        let ended = Instant::now();
        back(&watch).await;
        let found = ended.elapsed();
        stop.store(true, Ordering::Relaxed);
        let (calls, sleeps) = (calls.await.unwrap(), sleeps.await.unwrap());
        let number = calls.0.len();
        let (call, sleep) = (calls.last_but_a_thousandth(), sleeps.last_but_a_thousandth());
        println!(
            "{trouble:?}: {number} calls, 99.9 % within {call:?}, sleeps within {sleep:?}, found after {found:?}"
        );
        assert!(call <= sleep + 10 * MS, "{trouble:?}: {call:?}, and a sleep takes {sleep:?}");
        assert!(found <= SECOND + 100 * MS, "{trouble:?}: found after {found:?}");
        let grown = after.zip(before).map_or(0, |(after, before)| after.saturating_sub(before));
        assert!(grown < 20, "{trouble:?}: {grown} MB more");
    }
}

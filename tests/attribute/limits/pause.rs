//! `pause_if`: the service that a function calls (the partner) refuses a call, and its answer pauses the limit for all
//! processes. Tokio's clock is paused, so time advances only when all tasks are idle.

use ratelimit::clock::TokioClock;
use ratelimit::overrides::LimitChange;
use ratelimit::{ErrorKind, Limit, MemoryStore, RateLimiter, Rejection, rate_limit};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::{SECOND, StubStore};
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Returns `number` limiters on one store, and the store itself, which a test can make fail.
fn processes(number: usize) -> (Vec<RateLimiter>, StubStore) {
    let store = StubStore::failing(ErrorKind::Unavailable);
    store.set_works(true);
    let process = |_| RateLimiter::builder().store(store.clone()).build().unwrap();
    ((0..number).map(process).collect(), store)
}

/// A partner that refuses the first call that it receives after two seconds.
struct Partner {
    start: Instant,
    has_refused: AtomicBool,
    /// The time of each call, since `start`.
    calls: Mutex<Vec<Duration>>,
}

enum Answer {
    Fine,
    /// The partner refuses the call with status 429 and this `Retry-After`.
    Later(Duration),
}

impl Partner {
    fn new() -> Arc<Self> {
        Arc::new(Self { start: Instant::now(), has_refused: AtomicBool::new(false), calls: Mutex::default() })
    }

    fn answer(&self) -> Answer {
        let now = self.start.elapsed();
        self.calls.lock().unwrap().push(now);
        if now >= 2 * SECOND && !self.has_refused.swap(true, Ordering::Relaxed) {
            return Answer::Later(30 * SECOND);
        }
        Answer::Fine
    }

    /// Returns the number of calls from `from` up to, but not including, `to`.
    fn calls(&self, from: Duration, to: Duration) -> usize {
        self.calls.lock().unwrap().iter().filter(|at| (from..to).contains(*at)).count()
    }
}

fn pause(answer: &Result<Answer, Rejection>) -> Option<Duration> {
    match answer {
        Ok(Answer::Later(time)) => Some(*time),
        _ => None,
    }
}

#[rate_limit(key = "partner", time = "1s", count = 50, algorithm = "leaky_bucket", wait = "60s", pause_if = pause)]
async fn ask(partner: &Partner) -> Result<Answer, Rejection> {
    Ok(partner.answer())
}

#[rate_limit(key = "impatient", time = "1s", count = 50, pause_if = pause)]
async fn ask_at_once(partner: &Partner) -> Result<Answer, Rejection> {
    Ok(partner.answer())
}

#[rate_limit(key = "patience", time = "1s", count = 2, algorithm = "leaky_bucket", wait = "10s", pause_if = |answer| match answer { Ok(time) => *time, Err(_) => None })]
async fn ask_with_patience(later: Option<Duration>) -> Result<Option<Duration>, Rejection> {
    Ok(later)
}

#[tokio::test(start_paused = true)]
async fn eight_processes_pause_for_one_answer_and_resume_at_the_pace() {
    let (partner, mut calling) = (Partner::new(), JoinSet::new());
    for limiter in processes(8).0 {
        for _ in 0..40 {
            let (limiter, partner) = (limiter.clone(), Arc::clone(&partner));
            calling.spawn(async move {
                while partner.start.elapsed() < 40 * SECOND {
                    ratelimit::scope(limiter.clone(), ask(&partner)).await.unwrap();
                }
            });
        }
    }
    calling.join_all().await;
    let ms = Duration::from_millis;
    assert_eq!(partner.calls(SECOND, 2 * SECOND), 50);
    // After the partner has refused a call, it receives only calls that were already under way.
    assert!(
        partner.calls(2 * SECOND + ms(1), 32 * SECOND) == 0,
        "{}",
        partner.calls(2 * SECOND, 32 * SECOND)
    );
    for second in 32..40 {
        let calls = partner.calls(second * SECOND, (second + 1) * SECOND);
        assert!((49..=51).contains(&calls), "{calls} calls in second {second}");
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_wait_calls_are_refused_until_the_pause_ends() {
    let (partner, processes) = (Partner::new(), processes(2).0);
    tokio::time::advance(2 * SECOND).await;
    let ask =
        async |process: usize| ratelimit::scope(processes[process].clone(), ask_at_once(&partner)).await;
    assert!(matches!(ask(0).await, Ok(Answer::Later(_))));
    let retry_after = async |process| ask(process).await.err().unwrap().retry_after();
    assert_eq!(retry_after(1).await, Some(30 * SECOND));
    tokio::time::advance(29 * SECOND).await;
    assert_eq!((retry_after(0).await, retry_after(1).await), (Some(SECOND), Some(SECOND)));
    tokio::time::advance(SECOND).await;
    assert!(ask(1).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_behind_a_pause_for_at_most_its_wait() {
    let limiter = &processes(1).0[0];
    let start = Instant::now();
    let ask = |later| ratelimit::scope(limiter.clone(), ask_with_patience(later));
    // The second call waits 500 ms for its turn. Meanwhile, the first call pauses the limit.
    let (first, second) = tokio::join!(ask(Some(4 * SECOND)), ask(None));
    assert!(first.is_ok() && second.is_ok());
    assert_eq!(start.elapsed(), 4 * SECOND);
    ask(Some(11 * SECOND)).await.unwrap();
    assert_eq!(start.elapsed(), Duration::from_millis(4500));
    let refused = ask(None).await.unwrap_err();
    assert_eq!(refused.retry_after(), Some(11 * SECOND));
    // A pause of zero changes nothing.
    tokio::time::advance(12 * SECOND).await;
    ask(Some(Duration::ZERO)).await.unwrap();
    tokio::time::advance(SECOND).await;
    let before = Instant::now();
    ask(None).await.unwrap();
    assert_eq!(before.elapsed(), Duration::ZERO);
}

fn later(result: &Result<Option<Duration>, Rejection>) -> Option<Duration> {
    result.as_ref().ok().copied().flatten()
}

#[rate_limit(key = "windows", time = "3s", count = 2, wait = "3s", by = "global", pause_if = later)]
async fn in_windows(runs: Duration, pause: Option<Duration>) -> Result<Option<Duration>, Rejection> {
    tokio::time::sleep(runs).await;
    Ok(pause)
}

/// A pause makes the reserved turns of the next window void. Their units are free again, so the waiting calls can take them
/// after the pause.
#[tokio::test(start_paused = true)]
async fn a_void_turn_of_a_window_is_returned() {
    const MS: Duration = Duration::from_millis(1);
    let limiter = &processes(1).0[0];
    let (start, mut calls) = (Instant::now(), JoinSet::new());
    for (at, runs, pause) in
        [(0, 1600, Some(2 * SECOND)), (0, 0, None), (800, 0, None), (800, 0, None), (3800, 0, None)]
    {
        let limiter = limiter.clone();
        calls.spawn(async move {
            tokio::time::sleep(at * MS).await;
            let result = ratelimit::scope(limiter, in_windows(runs * MS, pause)).await;
            (at, result.is_ok(), start.elapsed().as_millis())
        });
    }
    let mut ended = calls.join_all().await;
    ended.sort_unstable();
    assert_eq!(
        ended,
        [(0, true, 0), (0, true, 1600), (800, true, 3600), (800, true, 3600), (3800, true, 6000)]
    );
}

/// The waiting call cannot ask for a new turn, because the store fails. It runs at the turn that it already has, and takes
/// no unit from the memory of its process.
#[tokio::test(start_paused = true)]
async fn a_call_that_cannot_ask_again_takes_nothing_from_the_memory_of_its_process() {
    let (limiters, store) = processes(1);
    let limiter = &limiters[0];
    let start = Instant::now();
    let call = async |runs, pause| ratelimit::scope(limiter.clone(), in_windows(runs, pause)).await.unwrap();
    let waiting = async {
        tokio::time::sleep(SECOND).await;
        call(Duration::ZERO, None).await;
        start.elapsed()
    };
    let pausing = call(SECOND * 3 / 2, Some(3 * SECOND));
    let failing = async {
        tokio::time::sleep(2 * SECOND).await;
        store.set_works(false);
    };
    let (.., waited) = tokio::join!(failing, pausing, call(Duration::ZERO, None), waiting);
    assert_eq!(waited, 3 * SECOND);
    // Now the local memory of the process decides. Both units of the limit are still free there.
    call(Duration::ZERO, None).await;
    call(Duration::ZERO, None).await;
    assert_eq!(start.elapsed(), 3 * SECOND);
}

/// `pause_if` on a sliding log is a compile error, but an override may replace another limit by a sliding log. This log
/// limits calls and ignores the pause.
#[tokio::test(start_paused = true)]
async fn an_override_that_cannot_pause_still_limits() {
    let store = MemoryStore::with_clock(TokioClock::new());
    let limiter = RateLimiter::builder().store(store).build().unwrap();
    let log: Limit = "sliding_log count=2 time=2s wait=10s".parse().unwrap();
    limiter.overrides().set("windows", LimitChange::from(log)).await.unwrap();
    let start = Instant::now();
    for pause in [None, Some(SECOND), None] {
        ratelimit::scope(limiter.clone(), in_windows(Duration::ZERO, pause)).await.unwrap();
    }
    assert_eq!(start.elapsed(), 2 * SECOND);
}

/// An override with `count = 0` has no rate from which the end of a block could be computed.
#[tokio::test]
async fn a_bucket_without_a_rate_can_be_blocked() {
    const BUCKET: Limit = Limit::token_bucket(3, Duration::from_secs(3));
    let limiter = RateLimiter::in_memory();
    limiter.charge(&BUCKET, "bucket", 3).await.unwrap().settle(6).await.unwrap();
    limiter.overrides().set("bucket", LimitChange::new().count(0)).await.unwrap();
    limiter.block(&BUCKET, "bucket", SECOND).await.unwrap();
    assert!(limiter.check(&BUCKET, "bucket").await.is_err());
}

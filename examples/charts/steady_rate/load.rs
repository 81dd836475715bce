//! The load: 20 workers for each limit. They call in a loop, and wait for the retry-after of a refusal.

use crate::subjects::Subject;
use crate::tally::{Counts, Measured, Outcome, Tally};
use ratelimit::{Key, Limit, RateLimiter, Rejection};
use std::error::Error;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::{interval_at, sleep};

pub(crate) const WORKERS: u32 = 20;

/// The interval between two printed rows.
const ROW: Duration = Duration::from_millis(200);

/// The shortest pause of a worker after a refusal.
const SHORTEST: Duration = Duration::from_millis(1);

/// The pause of a worker after a failed call.
const AFTER_FAILURE: Duration = Duration::from_millis(10);

/// Loads all limits at the same time, each with its own workers and its own key.
pub(crate) async fn run(
    limiter: &RateLimiter,
    subjects: &[Subject],
    length: Duration,
    show: impl Fn(Duration, &[Counts]) -> Result<(), Box<dyn Error>>,
) -> Result<Vec<Measured>, Box<dyn Error>> {
    let start = Instant::now();
    let tallies: Vec<_> = subjects.iter().map(|_| Arc::new(Tally::new(start, length))).collect();
    // The keys contain a random number, so that two runs on the same server share no limit.
    let run = RandomState::new().build_hasher().finish();
    let mut workers = JoinSet::new();
    for (number, (subject, tally)) in (0_u32..).zip(subjects.iter().zip(&tallies)) {
        for _ in 0..WORKERS {
            workers.spawn(work(limiter.clone(), subject.limit, (run, number), Arc::clone(tally)));
        }
    }
    let mut rows = interval_at((start + ROW).into(), ROW);
    loop {
        let time = rows.tick().await.duration_since(start.into());
        let counts: Vec<_> = tallies.iter().map(|tally| tally.last_second(time)).collect();
        show(time, &counts)?;
        if time >= length {
            break;
        }
    }
    workers.shutdown().await;
    Ok(tallies.iter().map(|tally| Measured::of(tally)).collect())
}

/// Calls in a loop: immediately after an admitted call, and after the retry-after of a refusal.
async fn work(limiter: RateLimiter, limit: Limit, key: (u64, u32), tally: Arc<Tally>) {
    let key = Key::new("steady_rate").by(key);
    loop {
        match limiter.acquire(&limit, &key).await {
            Ok(_) => tally.record(Outcome::Admitted),
            Err(Rejection::Limited(refused)) => {
                tally.record(Outcome::Refused);
                sleep(refused.decision().retry_after().unwrap_or_default().max(SHORTEST)).await;
            }
            Err(rejection) => {
                tally.record_failure(&rejection);
                sleep(AFTER_FAILURE).await;
            }
        }
    }
}

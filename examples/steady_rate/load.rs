//! Twenty workers per limit, which call it in a loop as polite clients do.

use crate::subjects::Subject;
use crate::tally::{Counts, Fate, Measured, Tally};
use ratelimit::{Key, Limit, RateLimiter, Rejection};
use std::error::Error;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::{interval_at, sleep};

pub(crate) const WORKERS: u32 = 20;

/// How often a row is shown.
const ROW: Duration = Duration::from_millis(200);

/// The shortest time after which a worker that was refused asks again.
const SHORTEST: Duration = Duration::from_millis(1);

/// How long a worker leaves a store alone that could not answer.
const AFTER_FAILURE: Duration = Duration::from_millis(10);

/// Loads all limits at once, each with workers and a key of its own, and shows the last second of each.
pub(crate) async fn run(
    limiter: &RateLimiter,
    subjects: &[Subject],
    length: Duration,
    show: impl Fn(Duration, &[Counts]) -> Result<(), Box<dyn Error>>,
) -> Result<Vec<Measured>, Box<dyn Error>> {
    let start = Instant::now();
    let tallies: Vec<_> = subjects.iter().map(|_| Arc::new(Tally::new(start, length))).collect();
    // No other run on the same server shares a limit with this one.
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

/// Calls again at once if the call was admitted, and when the rejection says so if it was refused.
async fn work(limiter: RateLimiter, limit: Limit, key: (u64, u32), tally: Arc<Tally>) {
    let key = Key::new("steady_rate").by(key);
    loop {
        match limiter.acquire(&limit, &key).await {
            Ok(_) => tally.record(Fate::Admitted),
            Err(Rejection::Limited(refused)) => {
                tally.record(Fate::Refused);
                sleep(refused.decision().retry_after().unwrap_or_default().max(SHORTEST)).await;
            }
            Err(rejection) => {
                tally.record_failure(&rejection);
                sleep(AFTER_FAILURE).await;
            }
        }
    }
}

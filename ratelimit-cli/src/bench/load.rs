//! One step of the benchmark: callers that ask again as soon as they have a decision.

use super::histogram::Histogram;
use crate::exit::Failure;
use crate::interrupt::Interrupt;
use crate::output::{Progress, number};
use ratelimit::{AsKey, Key, Limit, RateLimiter, Rejection};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What to measure.
pub(super) struct Load {
    pub(super) limiter: RateLimiter,
    pub(super) limit: Limit,
    pub(super) keys: u32,
    pub(super) callers: u32,
    pub(super) time: Duration,
}

/// The result of a step.
pub(super) struct Measured {
    pub(super) callers: u32,
    pub(super) time: Duration,
    pub(super) refused: u64,
    /// Calls without a decision, and the first error.
    pub(super) failed: u64,
    pub(super) error: Option<String>,
    latencies: Histogram,
}

/// What one caller has counted.
#[derive(Default)]
struct Counted {
    refused: u64,
    failed: u64,
    error: Option<String>,
    latencies: Histogram,
}

/// The key of an identity.
pub(super) fn key(number: u32) -> impl AsKey {
    Key::new("bench").by(number)
}

impl Load {
    pub(super) async fn run(
        self,
        interrupt: &Interrupt,
        progress: &mut Progress,
    ) -> Result<Measured, Failure> {
        let (callers, time) = (self.callers, self.time);
        let (load, decided) = (Arc::new(self), Arc::new(AtomicU64::new(0)));
        let started = Instant::now();
        let tasks: Vec<_> = (0..callers)
            .map(|_| {
                let (load, decided, interrupt) = (Arc::clone(&load), Arc::clone(&decided), interrupt.clone());
                tokio::spawn(async move { load.call_again_and_again(started, &decided, &interrupt).await })
            })
            .collect();
        while started.elapsed() < time && !interrupt.is_set() {
            interrupt.sleep(Duration::from_millis(100).min(time.saturating_sub(started.elapsed()))).await;
            let left = time.saturating_sub(started.elapsed()).as_secs();
            let decided = number(decided.load(Ordering::Relaxed));
            progress.show(format!("{} callers: {decided} decisions, {left} s left", number(callers.into())));
        }
        let mut all = Counted::default();
        for task in tasks {
            let counted = task.await.map_err(|error| Failure::server(format!("a caller failed: {error}")))?;
            all.refused += counted.refused;
            all.failed += counted.failed;
            all.error = all.error.or(counted.error);
            all.latencies.merge(&counted.latencies);
        }
        progress.clear();
        let Counted { refused, failed, error, latencies } = all;
        Ok(Measured { callers, time: started.elapsed(), refused, failed, error, latencies })
    }

    async fn call_again_and_again(
        &self,
        started: Instant,
        decided: &AtomicU64,
        interrupt: &Interrupt,
    ) -> Counted {
        let mut counted = Counted::default();
        while started.elapsed() < self.time && !interrupt.is_set() {
            let asked = Instant::now();
            let reply = self.limiter.check(&self.limit, key(fastrand::u32(..self.keys))).await;
            match reply {
                Ok(_) => {}
                Err(Rejection::Limited(_)) => counted.refused += 1,
                Err(Rejection::Unavailable(unavailable)) => {
                    counted.failed += 1;
                    counted.error.get_or_insert_with(|| unavailable.error().to_string());
                    // Calls fail at once while the server is unavailable.
                    interrupt.sleep(Duration::from_millis(100)).await;
                    continue;
                }
                Err(_) => counted.failed += 1,
            }
            counted.latencies.add(asked.elapsed());
            decided.fetch_add(1, Ordering::Relaxed);
        }
        counted
    }
}

impl Measured {
    pub(super) fn decisions(&self) -> u64 {
        self.latencies.total()
    }

    pub(super) fn per_second(&self) -> u64 {
        let ms = u64::try_from(self.time.as_millis()).unwrap_or(u64::MAX).max(1);
        self.decisions().saturating_mul(1000) / ms
    }

    #[expect(clippy::cast_precision_loss, reason = "a share needs no more")]
    pub(super) fn refused_share(&self) -> f64 {
        self.refused as f64 / self.decisions().max(1) as f64
    }

    /// The percentiles 50, 90, 99, 99.9 and 100.
    pub(super) fn percentiles(&self) -> [Duration; 5] {
        [500, 900, 990, 999, 1000].map(|thousandths| self.latencies.percentile(thousandths))
    }
}

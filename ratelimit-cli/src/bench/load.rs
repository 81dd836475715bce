//! One step of the benchmark: callers that ask again as soon as they have a decision.

use crate::exit::Failure;
use crate::output::number;
use crate::session::Session;
use hdrhistogram::Histogram;
use indicatif::ProgressBar;
use ratelimit::{AsKey, Key, Limit, RateLimiter, Rejection};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The calls to make in one step.
pub(super) struct Load {
    pub(super) limiter: RateLimiter,
    pub(super) limit: Limit,
    pub(super) keys: u32,
    pub(super) callers: u32,
    pub(super) time: Duration,
}

/// The results of one caller, or of all callers of a step.
pub(super) struct Measured {
    pub(super) callers: u32,
    pub(super) time: Duration,
    pub(super) refused: u64,
    /// Calls without a decision, and the first error.
    pub(super) failed: u64,
    pub(super) error: Option<String>,
    /// The latencies of decisions in microseconds, with three significant digits.
    latencies: Histogram<u64>,
}

/// The key of an identity.
pub(super) fn key(number: u32) -> impl AsKey {
    Key::new("bench").by(number)
}

impl Load {
    pub(super) async fn run(self, session: &Session, progress: &ProgressBar) -> Result<Measured, Failure> {
        let (time, interrupt) = (self.time, &session.interrupt);
        let mut all = Measured::new(self.callers)?;
        let (load, decided) = (Arc::new(self), Arc::new(AtomicU64::new(0)));
        let started = Instant::now();
        let tasks = (0..load.callers).map(|_| {
            let (load, decided, interrupt) = (Arc::clone(&load), Arc::clone(&decided), interrupt.clone());
            let until = move || started.elapsed() >= time || interrupt.is_set();
            tokio::spawn(async move { load.call_again_and_again(until, &decided).await })
        });
        let tasks: Vec<_> = tasks.collect();
        while started.elapsed() < time && !interrupt.is_set() {
            interrupt.sleep(Duration::from_millis(100).min(time.saturating_sub(started.elapsed()))).await;
            let left = time.saturating_sub(started.elapsed()).as_secs();
            let (callers, decided) = (number(load.callers.into()), number(decided.load(Ordering::Relaxed)));
            progress.set_message(format!("{callers} callers: {decided} decisions, {left} s left"));
        }
        let failed = |error: &dyn std::fmt::Display| Failure::server(format!("a caller failed: {error}"));
        for task in tasks {
            let one = task.await.map_err(|error| failed(&error))??;
            all.refused += one.refused;
            all.failed += one.failed;
            all.error = all.error.or(one.error);
            all.latencies.add(&one.latencies).map_err(|error| failed(&error))?;
        }
        all.time = started.elapsed();
        Ok(all)
    }

    async fn call_again_and_again(
        &self,
        until: impl Fn() -> bool,
        decided: &AtomicU64,
    ) -> Result<Measured, Failure> {
        let mut measured = Measured::new(1)?;
        while !until() {
            let asked = Instant::now();
            match self.limiter.check(&self.limit, key(fastrand::u32(..self.keys))).await {
                Ok(_) => {}
                Err(Rejection::Limited(_)) => measured.refused += 1,
                Err(rejection) => {
                    measured.failed += 1;
                    measured.error.get_or_insert_with(|| match rejection {
                        Rejection::Unavailable(unavailable) => unavailable.error().to_string(),
                        other => other.to_string(),
                    });
                    // While the server is unavailable, calls fail immediately, and this pause keeps
                    // the loop from spinning.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            }
            measured.latencies.record(micros(asked.elapsed())).map_err(Failure::server)?;
            decided.fetch_add(1, Ordering::Relaxed);
        }
        Ok(measured)
    }
}

impl Measured {
    fn new(callers: u32) -> Result<Self, Failure> {
        let latencies = Histogram::new(3).map_err(Failure::server)?;
        Ok(Self { callers, time: Duration::ZERO, refused: 0, failed: 0, error: None, latencies })
    }

    pub(super) fn decisions(&self) -> u64 {
        self.latencies.len()
    }

    pub(super) fn per_second(&self) -> u64 {
        let ms = crate::output::milliseconds(self.time).max(1);
        self.decisions().saturating_mul(1000) / ms
    }

    #[expect(clippy::cast_precision_loss, reason = "a share needs no more")]
    pub(super) fn refused_share(&self) -> f64 {
        self.refused as f64 / self.decisions().max(1) as f64
    }

    /// The percentiles 50, 90, 99, 99.9 and 100 of the latency, in microseconds.
    pub(super) fn percentiles(&self) -> [u64; 5] {
        [0.5, 0.9, 0.99, 0.999, 1.0]
            .map(|part| self.latencies.value_at_quantile(part).min(self.latencies.max()))
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

//! Runs many seeds on all cores.

use crate::run::{Run, run};
use indicatif::{ProgressBar, ProgressStyle};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The seeds to run, and how to run them.
#[derive(Clone, Copy, Debug)]
pub struct Soak {
    /// The first seed.
    pub first: u64,
    /// The number of seeds.
    pub seeds: u64,
    /// The number of threads that share the seeds.
    pub threads: usize,
    /// Whether to stop at the first seed that breaks a promise.
    pub until_broken: bool,
    /// Whether each seed runs twice. Both runs must have the same log.
    pub twice: bool,
}

/// The combined results of many seeds.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// The number of seeds that have run.
    pub seeds: u64,
    /// The number of calls in all runs.
    pub calls: u64,
    /// The time that has passed in all simulations together.
    pub simulated: Duration,
    /// The real time that has passed.
    pub took: Duration,
    /// The seeds that broke a promise, each with the first broken promise.
    pub broken: Vec<(u64, String)>,
}

impl Soak {
    /// Runs the seeds. Calls `tell` with each seed that breaks a promise, as soon as its run ends.
    #[must_use]
    pub fn run(self, tell: impl Fn(u64, &str) + Sync) -> Totals {
        let (start, next, totals) = (Instant::now(), AtomicU64::new(0), Mutex::new(Totals::default()));
        let bar = progress(self.seeds);
        thread::scope(|scope| {
            for _ in 0..self.threads {
                scope.spawn(|| {
                    while let Some(seed) = self.next_seed(&next) {
                        let run = self.run_seed(seed);
                        if let Some(promise) = run.broken.first() {
                            bar.suspend(|| tell(seed, promise));
                            if self.until_broken {
                                next.fetch_max(self.seeds, Ordering::Relaxed);
                            }
                        }
                        totals.lock().unwrap_or_else(PoisonError::into_inner).add(seed, &run);
                        bar.inc(1);
                    }
                });
            }
        });
        bar.finish_and_clear();
        let mut totals = totals.into_inner().unwrap_or_else(PoisonError::into_inner);
        totals.took = start.elapsed();
        totals.broken.sort();
        totals
    }

    fn run_seed(self, seed: u64) -> Run {
        let mut run = run_or_panic(seed);
        if self.twice && run_or_panic(seed).log != run.log {
            run.broken.push("the same seed has two logs".to_owned());
        }
        run
    }

    fn next_seed(self, next: &AtomicU64) -> Option<u64> {
        let at = next.fetch_add(1, Ordering::Relaxed);
        (at < self.seeds).then(|| self.first.wrapping_add(at))
    }
}

impl Totals {
    fn add(&mut self, seed: u64, run: &Run) {
        self.seeds += 1;
        self.calls += run.calls as u64;
        self.simulated += run.simulated;
        self.broken.extend(run.broken.first().map(|promise| (seed, promise.clone())));
    }

    /// The number of years that have passed in the simulations.
    #[must_use]
    pub fn years(&self) -> f64 {
        self.simulated.as_secs_f64() / 86_400.0 / 365.25
    }

    /// The average number of seeds per second.
    #[must_use]
    pub fn seeds_per_second(&self) -> f64 {
        let seeds = Duration::from_secs(self.seeds).as_secs_f64();
        seeds / self.took.as_secs_f64().max(1e-9)
    }
}

/// Runs a seed. A panic counts as a broken promise.
fn run_or_panic(seed: u64) -> Run {
    catch_unwind(AssertUnwindSafe(|| run(seed))).unwrap_or_else(|_| Run {
        log: String::new(),
        broken: vec!["a thread has panicked".to_owned()],
        simulated: Duration::ZERO,
        calls: 0,
    })
}

/// A progress bar on standard error. It is hidden if standard error is not a terminal.
fn progress(seeds: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} seeds, {per_sec}, {eta} left");
    ProgressBar::new(seeds).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

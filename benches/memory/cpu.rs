//! The processor time of this thread.

use std::time::Instant;

pub(crate) struct Stopwatch {
    wall: Instant,
    spent: Option<f64>,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        let spent = spent();
        Self { wall: Instant::now(), spent }
    }

    /// Since the start; time that has passed, where the system does not tell what was spent.
    pub(crate) fn nanos(&self) -> f64 {
        let wall = self.wall.elapsed().as_secs_f64() * 1e9;
        self.spent.zip(spent()).map_or(wall, |(before, after)| after - before)
    }
}

/// Linux's account of this thread, in ns, which it brings up to date when the thread yields.
fn spent() -> Option<f64> {
    std::thread::yield_now();
    let account = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    account.split_whitespace().next()?.parse().ok()
}

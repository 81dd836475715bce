//! Reads tokio's clock if tests can pause it, and otherwise the processor's counter, which takes less time.

use super::{micros, ticks};
use tokio::time::Instant;

/// Whether this build can pause tokio's clock, because tokio has its feature `test-util`.
const CAN_PAUSE: bool = {
    #[allow(unused_imports, clippy::wildcard_imports, reason = "it has no `resume` without the feature")]
    use tokio::time::*;
    is_of_tokio(resume)
};

/// Has the name of tokio's function, which precedes it if there is one.
#[allow(dead_code, reason = "not used if tokio has its own")]
const fn resume() -> NotOfTokio {
    NotOfTokio
}

struct NotOfTokio;

/// The return types of the two functions.
trait Returned {
    const IS_OF_TOKIO: bool;
}

impl Returned for NotOfTokio {
    const IS_OF_TOKIO: bool = false;
}

impl Returned for () {
    const IS_OF_TOKIO: bool = true;
}

const fn is_of_tokio<R: Returned>(_: fn() -> R) -> bool {
    R::IS_OF_TOKIO
}

/// Counts the microseconds of tokio's clock since it was started.
pub(crate) struct Timer {
    start: Instant,
    start_nanos: u64,
}

impl Timer {
    pub(crate) fn start() -> Self {
        Self { start: Instant::now(), start_nanos: ticks::nanos() }
    }

    /// The time now.
    #[inline]
    pub(crate) fn micros(&self) -> u64 {
        if CAN_PAUSE {
            return self.micros_at(Instant::now());
        }
        ticks::nanos().saturating_sub(self.start_nanos) / 1000
    }

    /// The time at this moment, and 0 at an earlier one than the start.
    pub(crate) fn micros_at(&self, moment: Instant) -> u64 {
        micros(moment.saturating_duration_since(self.start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test(start_paused = true)]
    async fn the_time_follows_the_paused_clock() {
        let timer = Timer::start();
        assert_eq!(timer.micros(), 0);
        tokio::time::advance(Duration::from_secs(7)).await;
        assert_eq!(timer.micros(), 7_000_000);
    }
}

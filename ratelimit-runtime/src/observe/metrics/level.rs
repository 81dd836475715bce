//! `Level`: a number that goes up and down, and the gauge that shows it.

use super::handle::Handle;
use metrics::Gauge;
use std::sync::atomic::{AtomicI64, Ordering};

/// A number of things. It counts also while no recorder is installed, so the gauge is right from its first use.
pub(in super::super) struct Level {
    number: AtomicI64,
    /// The sum of all changes of the gauge.
    shown: AtomicI64,
    pub(in super::super) gauge: Handle<Gauge>,
}

impl Level {
    pub(in super::super) const fn new() -> Self {
        Self { number: AtomicI64::new(0), shown: AtomicI64::new(0), gauge: Handle::new() }
    }

    /// Adds to the number, and shows it on `gauge`.
    pub(in super::super) fn add(&self, change: i64, gauge: Option<&Gauge>) {
        self.number.fetch_add(change, Ordering::AcqRel);
        let Some(gauge) = gauge else { return };
        loop {
            let number = self.number.load(Ordering::Acquire);
            let difference = number - self.shown.swap(number, Ordering::AcqRel);
            #[expect(clippy::cast_precision_loss, reason = "numbers of calls and units")]
            gauge.increment(difference as f64);
            // Another thread may have changed the number, and shown it earlier.
            if self.number.load(Ordering::Acquire) == number {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use metrics::GaugeFn;
    use std::sync::Arc;

    #[derive(Default)]
    struct Sum(AtomicI64);

    impl GaugeFn for Sum {
        #[expect(clippy::cast_possible_truncation, reason = "small numbers")]
        fn increment(&self, value: f64) {
            self.0.fetch_add(value as i64, Ordering::Relaxed);
        }

        fn decrement(&self, value: f64) {
            self.increment(-value);
        }

        fn set(&self, _: f64) {}
    }

    #[test]
    fn the_gauge_shows_what_was_counted_before_it_and_by_all_threads() {
        let (level, sum) = (Level::new(), Arc::new(Sum::default()));
        level.add(3, None);
        let gauge = Gauge::from_arc(Arc::clone(&sum));
        level.add(-1, Some(&gauge));
        assert_eq!(sum.0.load(Ordering::Relaxed), 2);
        std::thread::scope(|scope| {
            for change in [1, -1, 2, -1] {
                let (level, gauge) = (&level, &gauge);
                scope.spawn(move || (0..10_000).for_each(|_| level.add(change, Some(gauge))));
            }
        });
        assert_eq!(sum.0.load(Ordering::Relaxed), 10_002);
    }
}

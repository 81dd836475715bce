//! `Handle`: an instrument of the recorder, which is looked up once.

use super::table::{Kind, METRICS, Metric};
use metrics::{Counter, Gauge, Histogram, Key, Label, Metadata, Recorder, SharedString};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Once, OnceLock};

/// An instrument of the recorder. The first use after a recorder was installed looks it up. Earlier values are dropped.
pub(in super::super) struct Handle<T>(OnceLock<T>);

/// A kind of instrument.
pub(in super::super) trait Instrument: Sized {
    fn register(recorder: &dyn Recorder, key: &Key) -> Self;
}

impl<T: Instrument> Handle<T> {
    pub(in super::super) const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// `None` while no recorder is installed.
    #[inline]
    pub(in super::super) fn get<const N: usize>(
        &self,
        metric: &Metric,
        values: impl FnOnce() -> [SharedString; N],
    ) -> Option<&T> {
        self.0.get().or_else(|| self.look_up(metric, values))
    }

    /// Not inlined, because it runs only once after a recorder was installed.
    #[inline(never)]
    fn look_up<const N: usize>(
        &self,
        metric: &Metric,
        values: impl FnOnce() -> [SharedString; N],
    ) -> Option<&T> {
        metrics::with_recorder(|recorder| {
            // The crate `metrics` does not say whether a recorder is installed. Its default recorder has the size zero. A
            // recorder that stores values has another size.
            if size_of_val(recorder) == 0 {
                return None;
            }
            describe_once(recorder);
            let labels = metric.labels.iter().zip(values());
            let labels: Vec<Label> = labels.map(|(label, value)| Label::new(*label, value)).collect();
            Some(self.0.get_or_init(|| T::register(recorder, &Key::from_parts(metric.name, labels))))
        })
    }
}

const METADATA: Metadata<'static> = Metadata::new("ratelimit", metrics::Level::INFO, Some("ratelimit"));

impl Instrument for Counter {
    fn register(recorder: &dyn Recorder, key: &Key) -> Self {
        recorder.register_counter(key, &METADATA)
    }
}

impl Instrument for Gauge {
    fn register(recorder: &dyn Recorder, key: &Key) -> Self {
        recorder.register_gauge(key, &METADATA)
    }
}

impl Instrument for Histogram {
    fn register(recorder: &dyn Recorder, key: &Key) -> Self {
        recorder.register_histogram(key, &METADATA)
    }
}

/// Registers the descriptions of all metrics.
fn describe_once(recorder: &dyn Recorder) {
    static DESCRIBED: Once = Once::new();
    DESCRIBED.call_once(|| {
        for metric in METRICS {
            let (name, unit, text) = (metric.name.into(), metric.facade_unit(), metric.description.into());
            match metric.kind {
                Kind::Counter => recorder.describe_counter(name, unit, text),
                Kind::Gauge => recorder.describe_gauge(name, unit, text),
                Kind::Histogram => recorder.describe_histogram(name, unit, text),
            }
        }
    });
}

/// A number of calls or units, and the gauge that shows it. The number is also counted while no recorder is installed, so the
/// gauge is right from its first use.
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

    /// Adds `change` to the number, and updates `gauge`.
    pub(in super::super) fn add(&self, change: i64, gauge: Option<&Gauge>) {
        self.number.fetch_add(change, Ordering::AcqRel);
        let Some(gauge) = gauge else { return };
        loop {
            let number = self.number.load(Ordering::Acquire);
            let difference = number - self.shown.swap(number, Ordering::AcqRel);
            #[expect(clippy::cast_precision_loss, reason = "numbers of calls and units")]
            gauge.increment(difference as f64);
            // Another thread may have changed the number and updated the gauge before this thread. If so, this thread updates
            // the gauge again.
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

//! `MeterRecorder`: records the values of the crate `metrics` with a meter of OpenTelemetry.

#[path = "../buckets.rs"]
mod buckets;

use metrics::{
    Counter, CounterFn, Gauge, GaugeFn, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder,
    SharedString, Unit,
};
use opentelemetry::KeyValue;
use opentelemetry::metrics::{self as otel, Meter};
use ratelimit::observe::{METRICS, Metric};
use std::sync::Arc;

/// Makes an instrument for each metric. The meter returns the same instrument for the same name, so this type stores no
/// instruments.
pub(crate) struct MeterRecorder(Meter);

/// An instrument, with the attributes of one series.
struct Series<I> {
    instrument: I,
    attributes: Vec<KeyValue>,
}

impl MeterRecorder {
    pub(crate) fn new(meter: Meter) -> Self {
        Self(meter)
    }
}

impl<I> Series<I> {
    fn new(instrument: I, key: &Key) -> Arc<Self> {
        let attribute =
            |label: &metrics::Label| KeyValue::new(label.key().to_owned(), label.value().to_owned());
        Arc::new(Self { instrument, attributes: key.labels().map(attribute).collect() })
    }
}

/// Returns the metric with the name of a key, if the library has such a metric.
fn metric(key: &Key) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.name == key.name())
}

/// Returns the unit and the description of a metric. They come from the library's table, because the crate `metrics` does
/// not know the units of OpenTelemetry.
fn described(key: &Key) -> (&'static str, &'static str) {
    metric(key).map_or(("", ""), |metric| (metric.unit, metric.description))
}

impl Recorder for MeterRecorder {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        let (unit, description) = described(key);
        let counter = self.0.u64_counter(key.name().to_owned()).with_unit(unit).with_description(description);
        Counter::from_arc(Series::new(counter.build(), key))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        let (unit, description) = described(key);
        let gauge =
            self.0.f64_up_down_counter(key.name().to_owned()).with_unit(unit).with_description(description);
        Gauge::from_arc(Series::new(gauge.build(), key))
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        let (unit, description) = described(key);
        let mut histogram =
            self.0.f64_histogram(key.name().to_owned()).with_unit(unit).with_description(description);
        // The SDK's default bounds begin with 0, 5 and 10, because they are made for milliseconds.
        if let Some(metric) = metric(key) {
            histogram = histogram.with_boundaries(buckets::of(metric).to_vec());
        }
        Histogram::from_arc(Series::new(histogram.build(), key))
    }
}

impl CounterFn for Series<otel::Counter<u64>> {
    fn increment(&self, value: u64) {
        self.instrument.add(value, &self.attributes);
    }

    /// Does nothing, because the library does not call this method.
    fn absolute(&self, _: u64) {}
}

impl GaugeFn for Series<otel::UpDownCounter<f64>> {
    fn increment(&self, value: f64) {
        self.instrument.add(value, &self.attributes);
    }

    fn decrement(&self, value: f64) {
        self.instrument.add(-value, &self.attributes);
    }

    /// Does nothing, because the library does not call this method.
    fn set(&self, _: f64) {}
}

impl HistogramFn for Series<otel::Histogram<f64>> {
    fn record(&self, value: f64) {
        self.instrument.record(value, &self.attributes);
    }
}

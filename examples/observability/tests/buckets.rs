//! Tests that the histograms of the OpenTelemetry example have buckets that fit the measured values.
#![expect(clippy::unwrap_used, reason = "a panic is a failed test")]

#[path = "../opentelemetry/recorder.rs"]
mod recorder;

use metrics::{Key, Label, Level, Metadata, Recorder};
use opentelemetry::metrics::MeterProvider;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::metrics::data::{AggregatedMetrics, MetricData, ResourceMetrics, ScopeMetrics};
use opentelemetry_sdk::metrics::exporter::PushMetricExporter;
use opentelemetry_sdk::metrics::{SdkMeterProvider, Temporality};
use ratelimit::observe::{Kind, METRICS};
use recorder::MeterRecorder;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The bounds of each exported histogram, by name.
#[derive(Clone, Default)]
struct Bounds(Arc<Mutex<BTreeMap<String, Vec<f64>>>>);

impl PushMetricExporter for Bounds {
    async fn export(&self, metrics: &ResourceMetrics) -> OTelSdkResult {
        let mut bounds = self.0.lock().unwrap();
        for metric in metrics.scope_metrics().flat_map(ScopeMetrics::metrics) {
            if let AggregatedMetrics::F64(MetricData::Histogram(histogram)) = metric.data() {
                let of_points = histogram.data_points().map(|point| point.bounds().collect());
                bounds.extend(of_points.map(|of_point| (metric.name().to_owned(), of_point)));
            }
        }
        Ok(())
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }

    fn temporality(&self) -> Temporality {
        Temporality::Cumulative
    }
}

#[test]
fn times_below_a_second_have_buckets() {
    let bounds = Bounds::default();
    let meters = SdkMeterProvider::builder().with_periodic_exporter(bounds.clone()).build();
    let recorder = MeterRecorder::new(meters.meter("ratelimit"));
    let metadata = Metadata::new("test", Level::INFO, None);
    for metric in METRICS.iter().filter(|metric| metric.kind == Kind::Histogram) {
        let labels = metric.labels.iter().map(|label| Label::new(*label, "login")).collect::<Vec<_>>();
        recorder.register_histogram(&Key::from_parts(metric.name, labels), &metadata).record(0.002);
    }
    meters.force_flush().unwrap();
    let bounds = bounds.0.lock().unwrap();
    for metric in METRICS.iter().filter(|metric| metric.kind == Kind::Histogram) {
        let bounds = &bounds[metric.name];
        let expected = if metric.unit == "s" { (0.0001, 5.0) } else { (1.0, 128.0) };
        assert_eq!((bounds[0], *bounds.last().unwrap()), expected, "{}", metric.name);
    }
}

//! Records the metrics for Prometheus, and serves them.

use axum::Router;
use axum::routing::get;
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use ratelimit::observe::{Kind, METRICS};
use std::time::Duration;

/// From a tenth of a millisecond to some seconds, for times.
const SECONDS: [f64; 14] =
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];
/// Requests of a script call. A batch has at most 128.
const REQUESTS: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];

/// Installs the recorder. Call it before the first limited call. Without buckets, histograms would be summaries, which cannot
/// be added up over processes.
pub(crate) fn install() -> Result<PrometheusHandle, BuildError> {
    let mut builder = PrometheusBuilder::new().with_recommended_naming(true);
    for metric in METRICS.iter().filter(|metric| metric.kind == Kind::Histogram) {
        let buckets: &[f64] = if metric.unit == "s" { &SECONDS } else { &REQUESTS };
        builder = builder.set_buckets_for_metric(Matcher::Full(metric.name.to_owned()), buckets)?;
    }
    builder.install_recorder()
}

/// The route that Prometheus scrapes.
pub(crate) fn routes(recorder: PrometheusHandle) -> Router {
    Router::new().route("/metrics", get(async move || recorder.render()))
}

/// Lets the recorder tidy up, for as long as the process runs.
pub(crate) async fn tidy_up(recorder: PrometheusHandle) {
    loop {
        tokio::time::sleep(Duration::from_secs(5)).await;
        recorder.run_upkeep();
    }
}

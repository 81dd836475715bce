//! Records the metrics for Prometheus, and serves them.

#[path = "../buckets.rs"]
mod buckets;

use axum::Router;
use axum::routing::get;
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use ratelimit::observe::{Kind, METRICS};
use std::time::Duration;

/// Installs the recorder. Call this before the first limited call. Without buckets, histograms would be summaries, which
/// cannot be added up over several processes.
pub(crate) fn install() -> Result<PrometheusHandle, BuildError> {
    let mut builder = PrometheusBuilder::new().with_recommended_naming(true);
    for metric in METRICS.iter().filter(|metric| metric.kind == Kind::Histogram) {
        let name = Matcher::Full(metric.name.to_owned());
        builder = builder.set_buckets_for_metric(name, buckets::of(metric))?;
    }
    builder.install_recorder()
}

/// The route that Prometheus scrapes.
pub(crate) fn routes(recorder: PrometheusHandle) -> Router {
    Router::new().route("/metrics", get(async move || recorder.render()))
}

/// Runs the recorder's upkeep every five seconds. Never returns.
pub(crate) async fn tidy_up(recorder: PrometheusHandle) {
    loop {
        tokio::time::sleep(Duration::from_secs(5)).await;
        recorder.run_upkeep();
    }
}

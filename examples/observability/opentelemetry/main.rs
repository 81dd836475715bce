//! Metrics and traces of limits through OpenTelemetry, printed to standard output. To send them to a collector, replace
//! `opentelemetry-stdout` by another exporter.
//!
//! ```sh
//! cargo run -p ratelimit-observability-examples --example opentelemetry
//! ```

mod recorder;

use opentelemetry::metrics::MeterProvider;
use opentelemetry::trace::TracerProvider;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use ratelimit::{RateLimiter, Rejection, rate_limit};
use recorder::MeterRecorder;
use std::error::Error;
use tracing::Instrument;
use tracing_subscriber::layer::SubscriberExt;

#[rate_limit(key = "login", time = 60, count = 2, by = user)]
async fn login(user: u64) -> Result<(), Rejection> {
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let meters = SdkMeterProvider::builder()
        .with_periodic_exporter(opentelemetry_stdout::MetricExporter::default())
        .build();
    let tracers = SdkTracerProvider::builder()
        .with_simple_exporter(opentelemetry_stdout::SpanExporter::default())
        .build();
    // The recorder is installed before the first limited call.
    metrics::set_global_recorder(MeterRecorder::new(meters.meter("ratelimit")))
        .map_err(|_| "another recorder is installed")?;
    let spans = tracing_opentelemetry::layer().with_tracer(tracers.tracer("shop"));
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(spans))?;
    ratelimit::install(RateLimiter::in_memory())?;

    for _ in 0..3 {
        // The span of the decision is a child of the span of the request.
        let request = tracing::info_span!("POST /login");
        let answer = match login(7).instrument(request).await {
            Ok(()) => "welcome".to_owned(),
            Err(rejection) => rejection.to_string(),
        };
        eprintln!("{answer}");
    }
    tracers.shutdown()?;
    meters.shutdown()?;
    Ok(())
}

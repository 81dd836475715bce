//! A shop whose limits are shown in Prometheus, and on a dashboard of Grafana: import `dashboard.json`.
//!
//! ```sh
//! cargo run -p ratelimit-observability-examples --example prometheus
//! curl -s http://127.0.0.1:9464/metrics | grep ratelimit_decisions
//! ```
//!
//! Set `RATELIMIT_URL` to see the use of Redis, `ADDRESS` to serve on another address, and `LEVEL=debug` to log each refused
//! caller. Use this scrape configuration:
//!
//! ```yaml
//! scrape_configs:
//!   - job_name: shop
//!     scrape_interval: 5s
//!     static_configs:
//!       - targets: ["127.0.0.1:9464"]
//! ```

mod exporter;
mod shop;

use ratelimit::RateLimiter;
use ratelimit::observe::{Hook, Refusal};
use std::error::Error;
use std::time::Duration;
use tokio::net::TcpListener;
use tracing_subscriber::filter::LevelFilter;

/// Prints the events that an operator wants to know. A real service would send a message.
struct Operator;

impl Hook for Operator {
    fn refused(&self, refusal: &Refusal) {
        if let Some(caller) = refusal.identity()
            && refusal.decision().remaining() == 0
        {
            tracing::debug!(limit = refusal.name(), %caller, "refused");
        }
    }

    fn outage_began(&self, error: &ratelimit::Error) {
        tracing::error!(%error, "alert: the store of the limits is unavailable");
    }

    fn outage_ended(&self, lasted: Duration) {
        tracing::info!(seconds = lasted.as_secs(), "the store of the limits was unavailable");
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let level = std::env::var("LEVEL").map_or(Ok(LevelFilter::INFO), |level| level.parse())?;
    tracing_subscriber::fmt().with_max_level(level).init();
    let recorder = exporter::install()?;
    let mut builder = RateLimiter::builder().hook(Operator);
    if let Ok(url) = std::env::var("RATELIMIT_URL") {
        builder = builder.redis(url);
    }
    let limiter = builder.connect().await?;
    ratelimit::install(limiter.clone())?;

    let address = std::env::var("ADDRESS").unwrap_or_else(|_| "127.0.0.1:9464".to_owned());
    let listener = TcpListener::bind(&address).await?;
    println!("metrics: http://{}/metrics; stop with Ctrl-C", listener.local_addr()?);
    tokio::spawn(exporter::tidy_up(recorder.clone()));
    tokio::spawn(shop::open());
    let stopped = async { tokio::signal::ctrl_c().await.unwrap_or_default() };
    axum::serve(listener, exporter::routes(recorder)).with_graceful_shutdown(stopped).await?;
    // Waits until the hook has received all events, and returns unused units to the store.
    limiter.close().await;
    Ok(())
}

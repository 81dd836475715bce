//! A shop whose limits are seen in Prometheus, and on a dashboard of Grafana: import `dashboard.json`.
//!
//! ```sh
//! cargo run -p ratelimit-observability-examples --example prometheus
//! curl -s http://127.0.0.1:9464/metrics | grep ratelimit_decisions
//! ```
//!
//! Set `RATELIMIT_URL` to see how Redis is used, and `ADDRESS` to serve on another address. A scrape configuration:
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

/// Writes what an operator wants to hear of. A real service would send a message.
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
        eprintln!("the store is unavailable: {error}");
    }

    fn outage_ended(&self, lasted: Duration) {
        eprintln!("the store was unavailable for {} s", lasted.as_secs());
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let recorder = exporter::install()?;
    let mut builder = RateLimiter::builder().hook(Operator);
    if let Ok(url) = std::env::var("RATELIMIT_URL") {
        builder = builder.redis(url);
    }
    ratelimit::install(builder.build().await?)?;

    let address = std::env::var("ADDRESS").unwrap_or_else(|_| "127.0.0.1:9464".to_owned());
    let listener = TcpListener::bind(&address).await?;
    println!("metrics: http://{}/metrics; stop with Ctrl-C", listener.local_addr()?);
    tokio::spawn(exporter::tidy_up(recorder.clone()));
    tokio::spawn(shop::open());
    let stopped = async { tokio::signal::ctrl_c().await.unwrap_or_default() };
    axum::serve(listener, exporter::routes(recorder)).with_graceful_shutdown(stopped).await?;
    Ok(())
}

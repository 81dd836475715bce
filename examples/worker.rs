//! A worker that calls another service's API, which allows ten calls per second. All processes of a fleet share the limit if
//! `RATELIMIT_URL` names a Redis server.
//!
//! ```sh
//! cargo run --example worker
//! RATELIMIT_URL=redis://127.0.0.1 cargo run --example worker # in two terminals: the calls of both are paced together
//! ```

use ratelimit::{RateLimiter, Rejection, rate_limit};
use std::time::{Duration, Instant};

/// Calls the API at most ten times per second, one call every 100 ms. A call waits at most five seconds for its turn.
#[rate_limit(key = "geocoder", time = "1s", count = 10, algorithm = "leaky_bucket", wait = "5s")]
async fn geocode(city: &str) -> Result<String, Rejection> {
    Ok(format!("the coordinates of {city}")) // an HTTP call in a real worker
}

/// The same API allows three calls at the same time. The permit is returned when the function returns or its future is
/// dropped.
#[rate_limit(key = "route", count = 3, time = "30s", algorithm = "concurrency", wait = "5s")]
async fn route(from: &str, to: &str) -> Result<String, Rejection> {
    tokio::time::sleep(Duration::from_millis(50)).await; // a slow HTTP call
    Ok(format!("from {from} to {to}"))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let limiter = match std::env::var("RATELIMIT_URL") {
        Ok(url) => RateLimiter::builder().redis(url).connect().await?,
        Err(_) => RateLimiter::in_memory(),
    };
    ratelimit::install(limiter.clone())?;
    let start = Instant::now();

    let cities = ["Lima", "Oslo", "Pune", "Rome", "Suva", "Tunis", "Ulm", "Vaduz"];
    let geocoding = cities.map(|city| tokio::spawn(geocode(city)));
    for call in geocoding {
        // A call that would have to wait for more than five seconds is refused, and reserves no turn.
        let found = call.await??;
        println!("{:>5} ms  {found}", start.elapsed().as_millis());
    }
    let routing = cities.map(|city| tokio::spawn(route("Bern", city)));
    for call in routing {
        let found = call.await??;
        println!("{:>5} ms  {found}", start.elapsed().as_millis());
    }
    limiter.close().await; // returns permits and leased units before the process ends
    Ok(())
}

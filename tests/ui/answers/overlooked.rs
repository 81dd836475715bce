// The compiler warns about a future or a value that is not used. `check(..).await?` is enough.

#![deny(unused_must_use)]

use ratelimit::{Limit, RateLimiter};
use std::error::Error;
use std::time::Duration;

const UNITS: Limit = Limit::counter(1, Duration::from_secs(1));
const PERMITS: Limit = Limit::concurrency(1, Duration::from_secs(1));

async fn overlooked(limiter: &RateLimiter) -> Result<(), Box<dyn Error>> {
    limiter.check(&UNITS, "units").await?;
    limiter.acquire(&UNITS, "units").await?;
    limiter.check(&UNITS, "units").await;
    limiter.acquire(&UNITS, "units").await;
    limiter.peek(&UNITS, "units").await?;
    limiter.charge(&UNITS, "units", 1).await?;
    limiter.permit(&PERMITS, "permits").await?;
    Ok(())
}

fn main() {}

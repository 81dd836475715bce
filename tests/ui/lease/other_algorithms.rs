// Only counters and token buckets have leases.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(lease = 5, algorithm = "sliding_log")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count = 10, lease = 5, algorithm = "leaky_bucket")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(lease = 5, algorithm = "concurrency")]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

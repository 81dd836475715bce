// `burst` and `refill` belong to a bucket.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(burst = 5)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "counter", count = 5, refill = "interval", burst = 5)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// A bucket must refill within 366 days.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(algorithm = "token_bucket", count = 1, burst = 367, time = "1d")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

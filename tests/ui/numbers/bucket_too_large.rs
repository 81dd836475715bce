// A bucket holds and refills 2^26 tokens at most.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(algorithm = "token_bucket", count = 67108865)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", count = 5, burst = 67108865)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

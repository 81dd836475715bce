// `burst` needs a bucket; `refill` and `borrow` need a token bucket.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(burst = 5)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "counter", count = 5, refill = "interval", burst = 5)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "sliding_log", burst = 5, borrow = 1)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "leaky_bucket", refill = "greedy", borrow = 1)]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// A call that costs more than the limit can hold would never pass.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = 5, cost = 6)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", count = 50, burst = 5, cost = 6)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(cost = 101)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

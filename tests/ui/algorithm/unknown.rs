// The words that are known are suggested, or listed.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(algorithm = "token-bucket")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "gcra")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", refill = "intervall")]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", refill = "slow")]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

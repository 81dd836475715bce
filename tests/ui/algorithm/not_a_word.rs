// `algorithm` takes a word in quotes.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(algorithm = token_bucket)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = TokenBucket, burst = 5)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", refill = true)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", refill = 5)]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

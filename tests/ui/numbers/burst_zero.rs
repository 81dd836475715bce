// `burst` is at least 1, because a bucket of zero refuses every call.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(algorithm = "token_bucket", burst = 0)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", burst = 0x0)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", burst = (0))]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

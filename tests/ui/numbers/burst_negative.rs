// `burst` cannot be negative.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(algorithm = "token_bucket", burst = -1)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", burst = -2.5)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

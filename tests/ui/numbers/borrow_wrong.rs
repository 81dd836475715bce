// `borrow` is a number of tokens.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(algorithm = "token_bucket", borrow = -1)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", borrow = "5")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", borrow = 1.5)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", borrow = 4294967296)]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// The numbers of a bucket are at most 2^25.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(algorithm = "token_bucket", count = 33554433)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", count = 5, burst = 33554433)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "leaky_bucket", count = 33554433)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", count = 5, burst = 33554432, borrow = 1)]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", count = 33554431, borrow = 2)]
async fn e() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// A call whose cost is above what the limit can hold never passes.

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

#[rate_limit(algorithm = "token_bucket", count = 50, burst = 5, borrow = 2, cost = 8)]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", count = 5, borrow = 2, cost = 8)]
async fn e() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "leaky_bucket", count = 50, burst = 5, cost = 6)]
async fn f() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "concurrency", count = 5, cost = 6)]
async fn g() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// The compiler checks constants against the bounds of their algorithm.

use ratelimit::{Rejection, rate_limit};
use std::time::Duration;

const HUGE: u32 = 33_554_432;
const SHORT: Duration = Duration::from_millis(500);
const LONG: Duration = Duration::from_secs(60);

#[rate_limit(algorithm = "sliding_window", count = HUGE)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "sliding_log", count = HUGE)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "concurrency", count = HUGE)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "concurrency", count = 5, time = SHORT)]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", count = 5, borrow = HUGE)]
async fn e() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "leaky_bucket", count = 33554432, time = 1, wait = LONG)]
async fn f() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

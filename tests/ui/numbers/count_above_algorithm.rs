// The largest `count` of each algorithm.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(algorithm = "sliding_window", count = 33554432)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "sliding_log", count = 10001)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "concurrency", count = 10001)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// A window must be at least 1 ms long.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(time = 0)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = "0s")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = "0h0m")]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

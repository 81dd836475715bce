// Rates in the notation of other libraries.

use ratelimit::{Rejection, rate_limit};

#[rate_limit("10/minute")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(limit = "100 per hour")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(rate = "5/second")]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(limits = "5/day")]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

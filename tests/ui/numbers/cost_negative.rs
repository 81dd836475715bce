// `cost` cannot be negative.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(cost = -1)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(cost = -2.5)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// `count` cannot be negative.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = -1)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count = -2.5)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

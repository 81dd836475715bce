// A duration cannot be negative.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(time = -60)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = "-60s")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

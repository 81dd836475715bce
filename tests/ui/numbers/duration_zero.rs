// A `Duration` that is made from a constant is checked by the compiler.

use ratelimit::{Rejection, rate_limit};
use std::time::Duration;

const NONE: u64 = 0;

#[rate_limit(time = Duration::from_millis(0), count = 5)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = Duration::from_secs(NONE), count = 5)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// The compiler checks a constant time.

use ratelimit::{Rejection, rate_limit};
use std::time::Duration;

const NONE: Duration = Duration::ZERO;
const YEARS: Duration = Duration::from_secs(400 * 24 * 3600);
const TINY: Duration = Duration::from_micros(1500);

#[rate_limit(time = NONE)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = YEARS)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = TINY)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

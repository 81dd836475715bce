// The compiler checks the constants of a bucket.

use ratelimit::{Rejection, rate_limit};

const HUGE: u32 = 33_554_433;
const YEAR: u32 = 367;

#[rate_limit(algorithm = "token_bucket", count = HUGE)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", count = 1, time = "1d", burst = YEAR)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

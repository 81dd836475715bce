// The compiler checks constants.

use ratelimit::{Rejection, rate_limit};

const LEASE: u32 = 6;

#[rate_limit(count = 10, lease = LEASE)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", burst = 10, lease = LEASE)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

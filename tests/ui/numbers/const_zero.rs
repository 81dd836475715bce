// The compiler checks that a constant is not zero.

use ratelimit::{Rejection, rate_limit};

const NONE: u32 = 0;

#[rate_limit(count = NONE)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", burst = NONE)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

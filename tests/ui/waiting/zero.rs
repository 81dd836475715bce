// A `wait` of zero must be left out.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(wait = 0)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(wait = "0s")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

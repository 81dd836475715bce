// A lease is a number of units.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(lease = 0)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(lease = "5")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(lease = -1)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

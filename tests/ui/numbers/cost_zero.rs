// `cost` is at least 1, because a call that costs nothing is not limited.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(cost = 0)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(cost = 0x0)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(cost = (0))]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

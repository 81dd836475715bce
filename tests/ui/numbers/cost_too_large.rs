// `cost` must fit a `u32`.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(cost = 4294967296)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(cost = 99999999999999999999999999)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// `count` is at least 1, because a limit of zero refuses every call.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = 0)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count = 0x0)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count = (0))]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

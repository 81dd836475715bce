// The one limiter of a stack, under its value.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(time = 1, count = 5, limiter = limits)]
#[rate_limit(time = "1d", count = 500)]
async fn a(limits: u32) -> Result<(), Rejection> {
    let _ = limits;
    Ok(())
}

fn main() {}

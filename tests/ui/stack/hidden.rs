// The first attribute does not recognize a limit under another name.

use ratelimit::rate_limit as limited;
use ratelimit::{Rejection, rate_limit};

mod renamed {
    pub use ratelimit::rate_limit;
}

#[rate_limit(time = 1, count = 5)]
#[limited(time = "1d", count = 500)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[limited(time = 1, count = 5)]
#[limited(time = "1d", count = 500)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = 1, count = 5)]
#[inline]
#[renamed::rate_limit(time = "1d", count = 500)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

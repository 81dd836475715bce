// `shadow` must be a `bool`.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(shadow = "true")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(shadow = 1)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(shadow = |_| true)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

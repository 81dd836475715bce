// `skip_if` must be a `bool`.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(skip_if = "admin")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(skip_if = 1)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

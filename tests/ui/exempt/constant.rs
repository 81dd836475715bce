// A condition that is always the same is a mistake.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(skip_if = true)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(skip_if = false)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// `shadow` needs a value.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(shadow)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count = 5, shadow)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

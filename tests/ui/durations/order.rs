// Units must be in order, the largest first, each once.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(time = "30m1h")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = "1s1s")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

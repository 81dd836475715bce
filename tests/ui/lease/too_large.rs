// A lease of most of the limit would leave other processes nothing.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = 100, lease = 51)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(lease = 100)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count = 100, algorithm = "token_bucket", burst = 10, lease = 6)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

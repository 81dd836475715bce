// A lease is at most half of what the limit can hold.

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

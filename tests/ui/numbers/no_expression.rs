// Forms that cannot be a number.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = |user| user.limit)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(cost = |rows| rows / 100)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(cost = "rows")]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", burst = "many")]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

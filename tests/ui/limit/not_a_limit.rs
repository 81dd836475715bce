// `limit` must be a `Limit`, not a number of calls.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(limit = 5, per = 60)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(limit = 5, time = 60)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(limit = "100/h")]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(limit = true)]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

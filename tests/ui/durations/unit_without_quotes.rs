// A duration with a unit needs quotes.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(time = 60s)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = 1h30m)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = 500ms)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

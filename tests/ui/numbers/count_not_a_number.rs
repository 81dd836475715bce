// `count` must be a whole number. If it is in quotes, the message shows it without them.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = "5")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count = "five")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count = 2.5)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count = true)]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count = 100k)]
async fn e() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// `cost` must be a whole number. If it is in quotes, the message shows it without them.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(cost = "5")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(cost = "five")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(cost = 2.5)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(cost = true)]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(cost = 100k)]
async fn e() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

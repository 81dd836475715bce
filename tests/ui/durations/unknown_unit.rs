// Unknown units, and the words of other notations.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(time = "3w")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = "10 seconds")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = "5min")]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = "2hours")]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = "1day")]
async fn e() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = "250millis")]
async fn f() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// A window is at most 366 days long.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(time = 31622401)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = "367d")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = 99999999999999999999)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = "99999999999999999999s")]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = "9999999999999999d")]
async fn e() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

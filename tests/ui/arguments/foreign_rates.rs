// A rate is written as two arguments.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(per_second = 10)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(rpm = 100)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(per_hour = 1000)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(per_day = daily)]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(user = "id")]
async fn e() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(header = "x-api-key")]
async fn f() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

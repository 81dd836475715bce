// Values that are not a duration.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(time = "")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = "h")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = "one hour")]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = "1,5s")]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = true)]
async fn e() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = 'm')]
async fn f() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

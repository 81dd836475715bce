// `wait` is written like `time`.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(wait = 2s)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(wait = "2")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(wait = "soon")]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(wait = 1.5)]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(wait = -1)]
async fn e() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(wait = true)]
async fn f() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(wait = "367d")]
async fn g() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

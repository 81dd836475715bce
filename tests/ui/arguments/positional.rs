// Arguments need names.

use ratelimit::{Rejection, rate_limit};

#[rate_limit("login")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(5)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(login::KEY, 5)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(-1)]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit((5, 60))]
async fn e() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

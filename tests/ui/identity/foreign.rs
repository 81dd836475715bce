// The names of other libraries are recognized, and the message says what to write instead.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(by = "client_ip")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(by = "user_id")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(by = "api_key")]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(by = "everyone")]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(by = ("user", "everyone"))]
async fn e() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

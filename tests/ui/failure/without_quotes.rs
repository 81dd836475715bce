// The words of `on_error` need quotes.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(on_error = deny)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(on_error = OnError::Deny)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(on_error = true)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// A word of another library, without quotes.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(on_error = fail_open)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(on_error = closed)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

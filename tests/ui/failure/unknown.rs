// `on_error` takes one of three words.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(on_error = "localy")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(on_error = "panic")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// `on_error` is for all limits of a function.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(key = "a", count = 5, on_error = "deny")]
#[rate_limit(key = "b", count = 5, on_error = "allow")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// All limits of a function are decided together, or not at all.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(key = "a", count = 5, on_error = "deny")]
#[rate_limit(key = "b", count = 5, on_error = "allow")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// A function without arguments has no value for a placeholder.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(key = "report:{id}")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

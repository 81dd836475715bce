// A shadow limit that can never be used up reports nothing.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(key = "k", time = 1, count = 5, shadow = true)]
#[rate_limit(key = "k", time = "1m", count = 1000, shadow = true)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

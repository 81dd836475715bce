// Arguments for all limits of a function must be in the first attribute.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(time = 1, count = 5)]
#[ratelimit::rate_limit(time = "1d", limiter = limiter, on_limit = |_| Ok(()), crate = ratelimit)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

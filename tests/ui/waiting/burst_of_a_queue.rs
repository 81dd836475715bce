// With `wait` a leaky bucket is a queue, as long as `wait` says.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(algorithm = "leaky_bucket", burst = 5, wait = "2s")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

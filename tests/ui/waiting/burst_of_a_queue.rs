// A leaky bucket with `wait` is a queue and takes no `burst`.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(algorithm = "leaky_bucket", burst = 5, wait = "2s")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// The lease of a permit is its `time`.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(algorithm = "concurrency", count = 5, lease = 30)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

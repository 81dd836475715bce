// The lease of a permit is at least 1 s.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(algorithm = "concurrency", time = "500ms")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "concurrency", time = "0s")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

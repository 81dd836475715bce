// The numbers of a bucket must allow exact arithmetic.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(algorithm = "token_bucket", count = 33554431, time = "366d")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

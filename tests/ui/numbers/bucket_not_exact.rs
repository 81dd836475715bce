// The numbers of a bucket are exact, or refused.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(algorithm = "token_bucket", count = 67108863, time = "366d")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

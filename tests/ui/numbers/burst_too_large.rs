// `burst` must fit a `u32`.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(algorithm = "token_bucket", burst = 4294967296)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", burst = 99999999999999999999999999)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

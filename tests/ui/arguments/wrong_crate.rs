// `crate` must be a path.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(crate = "ratelimit")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(crate = <Self as Trait>::ratelimit)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

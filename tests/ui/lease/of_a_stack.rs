// Several limits of one function have no leases.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(key = "a", lease = 5)]
#[rate_limit(key = "b")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// `global` has no effect in a tuple.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(by = ("global", id))]
async fn a(id: u64) -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// A limit needs a name.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(key = "")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// `lease` needs a number.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = 100, lease)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

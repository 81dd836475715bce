// The compiler reports an expression of another type.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(shadow = percent)]
async fn a(percent: u32) -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

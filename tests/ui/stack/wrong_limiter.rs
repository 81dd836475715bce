// The compiler's message about the limiter of several limits has its caret under the value.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(time = 1, count = 5, limiter = limits)]
#[rate_limit(time = "1d", count = 500)]
async fn a(limits: u32) -> Result<(), Rejection> {
    let _ = limits;
    Ok(())
}

fn main() {}

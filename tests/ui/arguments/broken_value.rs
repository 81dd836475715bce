// A value that is not an expression is reported where it breaks.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = 5 +, time = 0)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(by = user., count = 0)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

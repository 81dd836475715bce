// An argument may be given once. The caret is under the second one.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = 5, time = 60, count = 6)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "a", by = "ip", by = "global", key = "b")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

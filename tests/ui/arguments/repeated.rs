// An argument stands once; the caret is under the second.

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

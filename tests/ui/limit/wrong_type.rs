// The compiler's message for another type has its caret under the value.

use ratelimit::{Limit, Rejection, rate_limit};
use std::time::Duration;

const LIMIT: Limit = Limit::counter(5, Duration::from_secs(60));

#[rate_limit(limit = count)]
async fn a(count: u32) -> Result<(), Rejection> {
    let _ = count;
    Ok(())
}

#[rate_limit(limit = &LIMIT)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// Two limits that would count in one place.

use ratelimit::{Limit, Rejection, rate_limit};
use std::time::Duration;

#[rate_limit(count = 5)]
#[rate_limit(count = 6)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "a", by = user, time = "1m")]
#[rate_limit(time = 1, by = user)]
#[rate_limit(key = "a", by = user, time = 60, cost = 2)]
async fn b(user: u64) -> Result<(), Rejection> {
    let _ = user;
    Ok(())
}

#[rate_limit(time = time)]
#[rate_limit(time = time, count = 5)]
async fn c(time: Duration) -> Result<(), Rejection> {
    let _ = time;
    Ok(())
}

#[rate_limit(limit = limit)]
#[rate_limit(limit = limit)]
async fn d(limit: Limit) -> Result<(), Rejection> {
    let _ = limit;
    Ok(())
}

fn main() {}

// Each argument needs a value, and the message shows one.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(key, time, count, by, algorithm, burst)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(refill =, cost =, on_limit =, limiter =, crate =)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count(5))]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count: 5)]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(borrow, wait, charge_if, refund_if =, settle =, limit)]
async fn e() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

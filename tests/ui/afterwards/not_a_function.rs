// The value must be a function of the result.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(charge_if = true)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(settle = 5)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(refund_if = id == 5)]
async fn c(id: u64) -> Result<(), Rejection> {
    let _ = id;
    Ok(())
}

#[rate_limit(refund_if = result.is_ok())]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

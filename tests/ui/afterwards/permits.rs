// Permits are returned by themselves, so a judge has no effect.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(algorithm = "concurrency", refund_if = Result::is_err)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "concurrency", charge_if = Result::is_err)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "concurrency", settle = |_| 5)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// Only one argument may say what the call costs.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(charge_if = Result::is_err, refund_if = Result::is_ok)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(settle = |_| 5, refund_if = Result::is_ok, charge_if = Result::is_err)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

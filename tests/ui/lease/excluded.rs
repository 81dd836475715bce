// Arguments that need the store for each call exclude a lease.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(lease = 5, wait = "1s")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(lease = 5, refund_if = Result::is_err)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count = 10, lease = 5, charge_if = Result::is_err)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// Values of `refund_if` and `settle`.

use ratelimit::{Rejection, rate_limit};

// The value must be a function of the result.
#[rate_limit(refund_if = true)]
async fn a() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(settle = 5)]
async fn b() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(refund_if = id == 5)]
async fn c(_id: u64) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(refund_if = result.is_ok())]
async fn d() -> Result<(), Rejection> { Ok(()) }

// Only one argument may say what the call costs.
#[rate_limit(settle = |_| 5, refund_if = Result::is_ok)]
async fn e() -> Result<(), Rejection> { Ok(()) }

// Permits are returned by themselves, so a judge has no effect.
#[rate_limit(algorithm = "concurrency", refund_if = Result::is_err)]
async fn f() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "concurrency", settle = |_| 5)]
async fn g() -> Result<(), Rejection> { Ok(()) }

fn main() {}

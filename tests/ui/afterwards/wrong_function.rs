// The compiler's message for a function with the wrong signature has its caret under that function.

use ratelimit::{Rejection, rate_limit};

fn takes_nothing() -> bool {
    true
}

#[rate_limit(refund_if = |result| result.is_error())]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(refund_if = |_| 5)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(settle = |result| result.is_ok())]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(refund_if = takes_nothing)]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(refund_if = strict)]
async fn e(strict: bool) -> Result<(), Rejection> {
    let _ = strict;
    Ok(())
}

fn main() {}

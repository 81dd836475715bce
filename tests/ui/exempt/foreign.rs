// The words of other libraries are known, and answered with ours.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(exempt_when = admin)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(unless = admin)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(condition = admin)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// The names of other libraries are recognized, and the message says what to write instead.

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

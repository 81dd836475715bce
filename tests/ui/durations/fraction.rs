// A fraction must be written in a smaller unit.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(time = 1.5)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = "1.5s")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

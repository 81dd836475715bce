// A duration in quotes needs a unit. Seconds need no quotes.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(time = "60")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = "1h30")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

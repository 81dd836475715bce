// The compiler checks a constant.

use ratelimit::{Rejection, rate_limit};
use std::time::Duration;

const LONG: Duration = Duration::from_secs(400 * 24 * 3600);
const TINY: Duration = Duration::from_micros(1500);

#[rate_limit(wait = LONG)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(wait = TINY)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

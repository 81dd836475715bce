// The names of other libraries are recognized, and the message says what to write instead.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(dry_run = true)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(log_only = true)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

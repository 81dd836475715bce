// The words of other libraries are known, and answered with ours.

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

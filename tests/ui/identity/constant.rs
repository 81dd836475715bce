// A constant does not distinguish callers.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(by = 5)]
async fn a(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

#[rate_limit(by = (name, true))]
async fn b(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

fn main() {}

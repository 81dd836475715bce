// The compiler reports an expression of another type.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(skip_if = user)]
async fn a(user: u64) -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count = 5, skip_if = name.len())]
async fn b(name: &str) -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

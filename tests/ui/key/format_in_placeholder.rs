// A placeholder takes no format.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(key = "report:{id:?}")]
async fn a(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

#[rate_limit(key = "report:{id:>8}")]
async fn b(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

fn main() {}

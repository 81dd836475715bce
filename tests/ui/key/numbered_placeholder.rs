// A placeholder takes a name, not a number.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(key = "report:{0}")]
async fn a(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

#[rate_limit(key = "report:{0}:{1}")]
async fn b(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

fn main() {}

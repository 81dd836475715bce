// The key must be a literal. Values are written as placeholders.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(key = name)]
async fn a(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

#[rate_limit(key = format!("report:{id}"))]
async fn b(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

#[rate_limit(key = 5)]
async fn c(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

fn main() {}

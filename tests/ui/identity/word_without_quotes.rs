// `ip` and `global` need quotes, unless an argument has that name.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(by = ip)]
async fn a(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

#[rate_limit(by = global)]
async fn b(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

#[rate_limit(by = (ip, name))]
async fn c(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

fn main() {}

// Warnings in a body: the same as in a plain function.

#![deny(warnings)]

use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = 5, by = id)]
pub async fn unused(id: u64, name: &str) -> Result<u64, Rejection> {
    let copy = id;
    let mut other = 5;
    return Ok((id));
}

#[rate_limit(count = 5, by = id)]
pub async fn unreachable(id: u64) -> Result<u64, Rejection> {
    return Ok(id);
    Ok(0)
}

#[rate_limit(count = 5, by = id)]
async fn dead(id: u64) -> Result<u64, Rejection> {
    Ok({ id })
}

fn main() {}

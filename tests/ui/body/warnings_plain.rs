// Warnings in a body, without the attribute.

#![deny(warnings)]

use ratelimit::Rejection;

#[inline]
pub async fn unused(id: u64, name: &str) -> Result<u64, Rejection> {
    let copy = id;
    let mut other = 5;
    return Ok((id));
}

#[inline]
pub async fn unreachable(id: u64) -> Result<u64, Rejection> {
    return Ok(id);
    Ok(0)
}

#[inline]
async fn dead(id: u64) -> Result<u64, Rejection> {
    Ok({ id })
}

fn main() {}

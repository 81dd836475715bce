// A cache answers before a limit that is above it. Below it, the limit counts all calls.

#![allow(unused_variables)]
#![deny(unused_must_use)]

use ratelimit::{Rejection, rate_limit};
// An attribute with the name of the crate `cached`.
use tracing::instrument as cached;

#[rate_limit(count = 5)]
#[cached]
async fn above(id: u64) -> Result<u64, Rejection> {
    Ok(id)
}

#[cached]
#[rate_limit(count = 5)]
async fn below(id: u64) -> Result<u64, Rejection> {
    Ok(id)
}

fn main() {}

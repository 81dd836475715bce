// Two arguments with headers: the attribute does not guess which one counts.

use axum::http::HeaderMap;
use axum::http::request::Parts;
use ratelimit::{Rejection, rate_limit};

#[rate_limit(by = "header:x-api-key")]
async fn a(headers: HeaderMap, parts: &Parts) -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// The name of a header must be valid in HTTP.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(by = "header:x api key")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(by = "header:x-api-key, x-tenant")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(by = "header:größe")]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

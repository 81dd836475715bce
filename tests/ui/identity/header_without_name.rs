// `header:` needs the name of a header.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(by = "header:")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(by = "header")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

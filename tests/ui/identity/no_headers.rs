// `by = "header:.."` needs an argument with the headers of the request.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(by = "header:x-api-key")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = 60, by = ("header:x-api-key", id))]
async fn b(id: u64) -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

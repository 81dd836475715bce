// `by = "user"` needs an argument that knows the user.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(by = "user")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(by = "user")]
async fn b(user: u64) -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

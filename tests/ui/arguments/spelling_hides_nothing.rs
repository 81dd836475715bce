// `burst` is not reported while `algorithm` is misspelt.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(algoritm = "token_bucket", burst = 5)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(cout = 500, cost = 200)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

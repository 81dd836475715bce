// `burst` must be a whole number. If it is in quotes, the message shows it without them.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(algorithm = "token_bucket", burst = "5")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", burst = "five")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", burst = 2.5)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", burst = true)]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "token_bucket", burst = 100k)]
async fn e() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

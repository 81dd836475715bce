// A word that is not an argument needs quotes.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(by = user)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(by = (user, ip))]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

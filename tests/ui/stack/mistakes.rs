// The mistakes of all attributes are reported at once.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(time = 0)]
#[rate_limit(tiem = 60)]
#[rate_limit(count = 0, key = "{b}")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit]
#[rate_limit = 5]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

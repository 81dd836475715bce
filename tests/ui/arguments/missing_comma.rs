// Arguments are separated by commas, and one that is missing hides no other mistake.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = 5 time = 60, tiem = 60)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

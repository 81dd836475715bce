// A missing comma does not hide other mistakes.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = 5 time = 60, tiem = 60)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// Each expression in `by` has its own errors.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(key = "{id.missing}", by = (id.nope, nothing), cost = Some(1), limiter = my_limiter, time = "1m", count = id)]
async fn report(id: u64) -> Result<(), Rejection> {
    let _ = id;
    Ok(())
}

fn main() {}

// `charge_if` and `wait` exclude each other.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(charge_if = Result::is_err, wait = "2s")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

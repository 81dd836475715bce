// What is not charged before the body gets no turn.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(charge_if = Result::is_err, wait = "2s")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

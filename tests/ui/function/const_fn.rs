// A `const fn` cannot await a decision.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = 5)]
const fn constant() -> Result<(), Rejection> {
    Ok(())
}

fn main() {
    let _ = constant();
}

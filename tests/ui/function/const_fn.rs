// A `const fn` awaits nothing.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = 5)]
const fn constant() -> Result<(), Rejection> {
    Ok(())
}

fn main() {
    let _ = constant();
}

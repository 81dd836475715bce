// One function, one limit; the others stay without a limit until that is mended.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(time = 1, count = 5)]
#[ratelimit::rate_limit(time = "1d", count = 500)]
async fn search() -> Result<(), Rejection> {
    Ok(())
}

fn main() {
    let _ = search();
}

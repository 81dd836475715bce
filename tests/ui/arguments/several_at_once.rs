// All mistakes of an attribute are reported at once, each with its own caret. The function stays as it is, so its
// callers get no further errors.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(
    key = "login:{usr}:{}",
    time = "1 hour",
    cuont = 5,
    burst = 0,
    by = "adress",
    cost = -1,
)]
async fn login(user: &str) -> Result<(), Rejection> {
    let _ = user;
    Ok(())
}

async fn caller() -> Result<(), Rejection> {
    login("ann").await
}

fn main() {
    let _ = caller();
}

// A value in a placeholder must implement `Identity` or `Display`.

use ratelimit::{Rejection, rate_limit};

struct User;

#[rate_limit(key = "report:{user}")]
async fn report(user: &User) -> Result<(), Rejection> {
    let _ = user;
    Ok(())
}

fn main() {}

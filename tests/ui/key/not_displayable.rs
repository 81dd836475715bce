// A placeholder is filled with what a value displays, or with what its `Identity` writes.

use ratelimit::{Rejection, rate_limit};

struct User;

#[rate_limit(key = "report:{user}")]
async fn report(user: &User) -> Result<(), Rejection> {
    let _ = user;
    Ok(())
}

fn main() {}

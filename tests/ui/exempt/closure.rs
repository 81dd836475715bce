// `skip_if` takes an expression, not a closure.

use ratelimit::{Rejection, rate_limit};

struct User {
    is_admin: bool,
}

#[rate_limit(skip_if = |user| user.is_admin)]
async fn a(user: &User) -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(skip_if = || true)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

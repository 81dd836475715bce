// The compiler's message for a missing field or method has its caret under the key.

use ratelimit::{Rejection, rate_limit};

struct User {
    id: u64,
}

#[rate_limit(key = "report:{user.identifier}")]
async fn field(user: &User) -> Result<(), Rejection> {
    let _ = user.id;
    Ok(())
}

#[rate_limit(key = "report:{user.key()}")]
async fn method(user: &User) -> Result<(), Rejection> {
    let _ = user.id;
    Ok(())
}

fn main() {}

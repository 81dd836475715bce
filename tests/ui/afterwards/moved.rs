// A judge cannot use an argument that the body moves.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(refund_if = |_| user.is_empty())]
async fn a(user: String) -> Result<usize, Rejection> {
    Ok(user.len())
}

fn main() {}

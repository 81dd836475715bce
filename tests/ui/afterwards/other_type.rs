// With a judge, the body is a block of its own, so the compiler points to the return type in other words.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(by = id, refund_if = Result::is_err)]
async fn tail(id: u64) -> Result<String, Rejection> {
    id
}

#[rate_limit(by = id, refund_if = Result::is_err)]
async fn early(id: u64) -> Result<u64, Rejection> {
    if id == 0 {
        return "zero";
    }
    Ok(id)
}

fn main() {}

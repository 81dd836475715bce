// Where the result is judged the body is a block of its own, and the compiler points to the return type with other words.

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

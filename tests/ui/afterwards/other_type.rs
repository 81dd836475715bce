// With a judge, the body is a separate block, so the compiler's message about the return type is another one.

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

// Type errors in a body whose result is judged: the same messages and carets as in a plain function.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(by = id, refund_if = Result::is_err)]
async fn semicolon(id: u64) -> Result<u64, Rejection> {
    Ok(id);
}

#[rate_limit(by = id, refund_if = Result::is_err)]
async fn unknown(id: u64) -> Result<u64, Rejection> {
    Ok(id + missing)
}

#[rate_limit(by = id, refund_if = Result::is_err)]
async fn question_mark(id: u64) -> Result<u64, Rejection> {
    let more: u64 = "5".parse()?;
    Ok(id + more)
}

#[rate_limit(by = id, refund_if = Result::is_err)]
async fn empty(id: u64) -> Result<u64, Rejection> {}

fn main() {}

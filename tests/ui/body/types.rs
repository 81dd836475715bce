// Type errors in a body: the same messages and carets as in a plain function.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = 5, by = id)]
async fn tail(id: u64) -> Result<String, Rejection> {
    id
}

#[rate_limit(count = 5, by = id)]
async fn semicolon(id: u64) -> Result<u64, Rejection> {
    Ok(id);
}

#[rate_limit(count = 5, by = id)]
async fn early(id: u64) -> Result<u64, Rejection> {
    if id == 0 {
        return "zero";
    }
    Ok(id)
}

#[rate_limit(count = 5, by = id)]
async fn unknown(id: u64) -> Result<u64, Rejection> {
    Ok(id + missing)
}

#[rate_limit(count = 5, by = id)]
async fn question_mark(id: u64) -> Result<u64, Rejection> {
    let more: u64 = "5".parse()?;
    Ok(id + more)
}

#[rate_limit(count = 5, by = id)]
async fn empty(id: u64) -> Result<u64, Rejection> {}

fn main() {}

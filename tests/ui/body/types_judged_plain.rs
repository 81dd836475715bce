// Type errors in a body, without the attribute.

use ratelimit::Rejection;

#[inline]
async fn semicolon(id: u64) -> Result<u64, Rejection> {
    Ok(id);
}

#[inline]
async fn unknown(id: u64) -> Result<u64, Rejection> {
    Ok(id + missing)
}

#[inline]
async fn question_mark(id: u64) -> Result<u64, Rejection> {
    let more: u64 = "5".parse()?;
    Ok(id + more)
}

#[inline]
async fn empty(id: u64) -> Result<u64, Rejection> {}

fn main() {}

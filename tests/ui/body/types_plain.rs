// Type errors in a body, without the attribute.

use ratelimit::Rejection;

#[inline]
async fn tail(id: u64) -> Result<String, Rejection> {
    id
}

#[inline]
async fn semicolon(id: u64) -> Result<u64, Rejection> {
    Ok(id);
}

#[inline]
async fn early(id: u64) -> Result<u64, Rejection> {
    if id == 0 {
        return "zero";
    }
    Ok(id)
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

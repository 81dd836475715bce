// Borrow errors in a body, without the attribute.

use ratelimit::Rejection;

#[inline]
async fn dangling(id: u64) -> Result<&'static str, Rejection> {
    let text = id.to_string();
    Ok(&text)
}

#[inline]
async fn moved(id: String) -> Result<String, Rejection> {
    drop(id);
    Ok(id)
}

#[inline]
async fn not_mutable(id: String) -> Result<String, Rejection> {
    id.push('!');
    Ok(id)
}

fn main() {}

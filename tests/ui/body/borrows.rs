// Borrow errors in a body: the same messages and carets as in a plain function.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = 5, by = id)]
async fn dangling(id: u64) -> Result<&'static str, Rejection> {
    let text = id.to_string();
    Ok(&text)
}

#[rate_limit(count = 5, by = id)]
async fn moved(id: String) -> Result<String, Rejection> {
    drop(id);
    Ok(id)
}

#[rate_limit(count = 5, by = id)]
async fn not_mutable(id: String) -> Result<String, Rejection> {
    id.push('!');
    Ok(id)
}

fn main() {}

// The word `auto`, and words that are near it.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(lease = "atuo")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(lease = auto)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(lease = "adaptive")]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(lease = "a lot")]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(lease = true)]
async fn e() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(lease = "auto", algorithm = "sliding_window")]
async fn f() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(lease = "auto", wait = "1s")]
async fn g() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "a", lease = "auto")]
#[rate_limit(key = "b")]
async fn h() -> Result<(), Rejection> {
    Ok(())
}

// An argument may have that name.
#[rate_limit(lease = auto)]
async fn i(auto: u32) -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

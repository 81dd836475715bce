// The names of other libraries are recognized, and the message says what to write instead.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(on_error = "fail-open")]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(on_error = "closed")]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(on_error = "memory")]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(fail_open = true)]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(fail_closed = true)]
async fn e() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(in_memory_fallback = true)]
async fn f() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(on_failure = "deny")]
async fn g() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// The error of a `Result` must implement `From<Rejection>`.

use ratelimit::rate_limit;
use std::fmt;

struct MyError;

type MyResult<T> = Result<T, MyError>;

#[rate_limit(count = 5)]
async fn foreign() -> Result<u8, fmt::Error> {
    Ok(1)
}

#[rate_limit(count = 5)]
async fn own(id: &u64) -> MyResult<&u64> {
    Ok(id)
}

#[rate_limit(count = 5)]
async fn generic<E>(id: u64) -> Result<u64, E> {
    Ok(id)
}

fn main() {}

// Return types that cannot represent a rejection.

use ratelimit::rate_limit;
use std::fmt::{self, Display};

// A plain value cannot represent a rejection.
#[rate_limit(count = 5)]
async fn number() -> u64 { 1 }
#[rate_limit(count = 5)]
async fn text<'a>(name: &'a str) -> &'a str { name }

// An `Option` cannot represent a rejection, because `None` could mean anything.
#[rate_limit(count = 5)]
async fn find(id: u64) -> Option<u64> { Some(id) }

// The error `String` does not implement `From<Rejection>`.
#[rate_limit(count = 5)]
async fn a() -> Result<(), String> { Ok(()) }
#[rate_limit(count = 5)]
async fn b() -> String { "b".to_owned() }

// The error of a `Result` must implement `From<Rejection>`.

struct MyError;

type MyResult<T> = Result<T, MyError>;

#[rate_limit(count = 5)]
async fn foreign() -> Result<u8, fmt::Error> { Ok(1) }
#[rate_limit(count = 5)]
async fn own(id: &u64) -> MyResult<&u64> { Ok(id) }
#[rate_limit(count = 5)]
async fn generic<E>(id: u64) -> Result<u64, E> { Ok(id) }

// In a `Result` an opaque type is allowed, but the error must implement `From<Rejection>`.
#[rate_limit(count = 5)]
async fn c() -> Result<impl Display, fmt::Error> { Ok(1) }

fn main() {}

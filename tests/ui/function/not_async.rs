// A function must be async or return a future, so that it can await the decision.

use ratelimit::{Rejection, rate_limit};
use std::future::{Ready, ready};
use std::pin::Pin;

#[rate_limit(count = 5)]
pub fn sync() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count = 5)]
fn nothing() {
    println!("nothing");
}

#[rate_limit(count = 5)]
fn future() -> Ready<Result<(), Rejection>> {
    ready(Ok(()))
}

#[rate_limit(count = 5)]
fn boxed() -> Pin<Box<Ready<Result<(), Rejection>>>> {
    Box::pin(ready(Ok(())))
}

#[rate_limit(count = 5)]
fn iterator() -> impl Iterator<Item = Result<(), Rejection>> {
    [Ok(())].into_iter()
}

fn main() {
    nothing();
    let _ = (sync(), future(), boxed(), iterator());
}

// Errors in bodies that return a future: the same messages and carets as in a plain function.

use ratelimit::{Rejection, rate_limit};
use std::future::{Future, ready};
use std::pin::Pin;

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

#[rate_limit(count = 5, by = 1 + 1)]
fn wrong_in_front() -> impl Future<Output = Result<u32, Rejection>> {
    let number: u32 = "text";
    async move { Ok(number) }
}

#[rate_limit(count = 5, by = 1 + 1)]
fn wrong_in_the_middle(name: String) -> BoxFuture<'static, Result<u32, Rejection>> {
    Box::pin(async move {
        let number: u32 = name;
        Ok(number)
    })
}

#[rate_limit(count = 5, by = 1 + 1)]
fn made_elsewhere(name: String) -> BoxFuture<'static, Result<u32, Rejection>> {
    let number: u32 = name;
    Box::pin(ready(Ok(number)))
}

#[rate_limit(count = 5, by = 1 + 1)]
fn moved_twice(name: String) -> impl Future<Output = Result<String, Rejection>> {
    drop(name);
    async move { Ok(name) }
}

#[rate_limit(count = 5, by = 1 + 1)]
fn unknown(names: &[String]) -> impl Future<Output = Result<usize, Rejection>> + use<> {
    let count = names.length();
    async move { Ok(count) }
}

fn main() {
    drop((wrong_in_front(), wrong_in_the_middle(String::new()), made_elsewhere(String::new())));
    drop((moved_twice(String::new()), unknown(&[])));
}

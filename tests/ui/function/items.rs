// Items that cannot be limited.

use ratelimit::{Rejection, rate_limit};
use std::future::{Ready, ready};
use std::pin::Pin;

// A function must be async or return a future, so that it can await the decision.
#[rate_limit(count = 5)]
pub fn sync() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = 5)]
fn nothing() { println!("nothing"); }
#[rate_limit(count = 5)]
fn future() -> Ready<Result<(), Rejection>> { ready(Ok(())) }
#[rate_limit(count = 5)]
fn boxed() -> Pin<Box<Ready<Result<(), Rejection>>>> { Box::pin(ready(Ok(()))) }
#[rate_limit(count = 5)]
fn iterator() -> impl Iterator<Item = Result<(), Rejection>> { [Ok(())].into_iter() }

// A `const fn` cannot await a decision.
#[rate_limit(count = 5)]
const fn constant() -> Result<(), Rejection> { Ok(()) }

// A method without a body cannot be limited.

trait Mail {
    #[rate_limit(count = 5)]
    async fn send(&self) -> Result<(), Rejection>;
}

struct Smtp;

impl Mail for Smtp {
    async fn send(&self) -> Result<(), Rejection> {
        Ok(())
    }
}

// The attribute needs a function or an `impl` block. The other item stays as it is.
#[rate_limit(count = 5)]
struct Struct;
#[rate_limit(count = 5)]
enum Enum {}
#[rate_limit(count = 5)]
trait Trait {}
#[rate_limit(count = 5)]
static STATIC: u8 = 0;
#[rate_limit(count = 5)]
const CONSTANT: u8 = 0;
#[rate_limit(count = 5)]
type Type = u8;
#[rate_limit(count = 5)]
use std::fmt;
#[rate_limit(count = 5)]
thread_local! {}
#[rate_limit(count = 5)]
pub unsafe trait Unsafe {}

// Items for which the message has no specific word.
#[rate_limit(count = 5)]
extern crate core;

#[rate_limit(count = 5)]
union Union {
    _number: u8,
}

// The attribute cannot be on a module.

#[rate_limit(count = 5)]
mod module {
    pub fn function() {}
}

fn main() {
    nothing();
    let _ = (sync(), future(), boxed(), iterator());
    let _ = constant();
    let _ = Smtp.send();
    let _: (Type, Option<Enum>, fmt::Result) = (STATIC + CONSTANT, None, Ok(()));
    let _ = Struct;
    module::function();
}

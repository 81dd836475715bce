// A decision is awaited, so the function is async.

use ratelimit::{Rejection, rate_limit};
use std::future::Future;
use std::pin::Pin;

#[rate_limit(count = 5)]
pub fn sync() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(count = 5)]
fn future() -> impl Future<Output = Result<(), Rejection>> {
    async { Ok(()) }
}

#[rate_limit(count = 5)]
fn boxed() -> Pin<Box<dyn Future<Output = Result<(), Rejection>>>> {
    Box::pin(async move { Ok(()) })
}

#[rate_limit(count = 5)]
fn boxed_with_a_block() -> Pin<Box<dyn Future<Output = Result<(), Rejection>>>> {
    Box::pin(async move {
        let _: () = { println!("by hand") };
        Ok(())
    })
}

fn main() {
    let _ = (sync(), future(), boxed(), boxed_with_a_block());
}

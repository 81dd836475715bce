// A placeholder takes a value of an argument: fields, and methods without arguments.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(key = "report:{id + 1}")]
async fn a(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

#[rate_limit(key = "report:{name.get(0)}")]
async fn b(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

#[rate_limit(key = "report:{name[0]}")]
async fn c(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

#[rate_limit(key = "report:{Self::NAME}")]
async fn d(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

#[rate_limit(key = "report:{na'me}:{\"}:{na)me}:{name.await}:{name.f::<u8>()}:{🦀}")]
async fn e(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

fn main() {}

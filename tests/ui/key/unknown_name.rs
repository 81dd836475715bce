// A placeholder must name an argument of this function.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(key = "report:{nme}")]
async fn a(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

#[rate_limit(key = "report:{tenant.id}")]
async fn b(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

#[rate_limit(key = "report:{name}:{idd}:{nam}")]
async fn c(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

fn main() {}

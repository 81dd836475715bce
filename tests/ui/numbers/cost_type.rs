// Every unsigned integer is a cost. Other numbers are not.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(cost = rows - 1)]
async fn a(rows: i64) -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(cost = 4, settle = |_| 1.5)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

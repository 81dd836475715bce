// Expressions must have the types of the runtime: `u32` for units, `Duration` for time.

use ratelimit::{Rejection, rate_limit};

const SECONDS: u64 = 60;
const MANY: u64 = 5;

#[rate_limit(time = SECONDS, count = MANY)]
async fn constants() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = seconds, count = many, cost = bytes.len() / 1024)]
async fn expressions(seconds: u64, many: i64, bytes: &[u8]) -> Result<(), Rejection> {
    let _ = (seconds, many, bytes);
    Ok(())
}

fn main() {}

// A limit that is never used up, because another one admits less.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(time = 1, count = 10)]
#[rate_limit(time = "1m", count = 620)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = "1h", count = 50)]
#[rate_limit(time = "1s", count = 100)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(time = "1s", count = 1)]
#[rate_limit(time = "30s")]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "sliding_log", time = "1s", count = 10)]
#[rate_limit(algorithm = "sliding_log", time = "90s", count = 900)]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(algorithm = "sliding_log", time = "1s", count = 10)]
#[rate_limit(algorithm = "sliding_window", time = "90s", count = 920)]
async fn e() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

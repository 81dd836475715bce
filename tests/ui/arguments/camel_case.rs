// Names of other languages are recognized in camel case.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(windowMs = 60000, maxRequests = 5)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(keyGenerator = key)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(limitForPeriod = 5, limitRefreshPeriod = 1)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(timeoutDuration = "1s")]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(fallbackMethod = fallback)]
async fn e() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// The names of other libraries are recognized, and the message says what to write instead.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(max = 5, per = 60)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(window = 60)]
async fn b() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(capacity = 5)]
async fn c() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(weight = 2)]
async fn d() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(fallback = |_| Ok(()))]
async fn e() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(strategy = "token_bucket")]
async fn f() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(per_ip = true)]
async fn g() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(prefix = "a")]
async fn h() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(store = store)]
async fn i() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(refill_mode = "greedy")]
async fn j() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(timeout = "2s")]
async fn k() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(overdraft = 5, refund = |_| true, count_if = |_| true, actual_cost = |_| 5)]
async fn l() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(policy = POLICY)]
async fn m() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(semaphore = 5)]
async fn n() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

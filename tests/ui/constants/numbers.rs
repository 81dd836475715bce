// The compiler checks constants against the bounds of their arguments and algorithms.

use ratelimit::{Limit, Rejection, rate_limit};
use std::time::Duration;

const NONE: u32 = 0;
const HUGE: u32 = 33_554_432;
const LARGER: u32 = 33_554_433;
const YEAR: u32 = 367;
const LEASE: u32 = 6;
const SHORT: Duration = Duration::from_millis(500);
const LONG: Duration = Duration::from_secs(60);

#[rate_limit(count = NONE)]
async fn a() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", burst = NONE)]
async fn b() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "sliding_window", count = HUGE)]
async fn c() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "sliding_log", count = HUGE)]
async fn d() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "concurrency", count = HUGE)]
async fn e() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "concurrency", count = 5, time = SHORT)]
async fn f() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", count = 5, borrow = HUGE)]
async fn g() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "leaky_bucket", count = 33554432, time = 1, wait = LONG)]
async fn h() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", count = LARGER)]
async fn i() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", count = 1, time = "1d", burst = YEAR)]
async fn j() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = 10, lease = LEASE)]
async fn k() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", burst = 10, lease = LEASE)]
async fn l() -> Result<(), Rejection> { Ok(()) }

// An automatic lease of constants.
const GOOD: Limit = Limit::counter(100, LONG).lease_auto();
const WRONG: Limit = Limit::sliding_log(100, LONG).lease_auto();

// A limit that is written in the code does not refuse every call.
const CLOSED: Limit = Limit::counter(0, Duration::from_secs(1));
const EMPTY: Limit = Limit::token_bucket(5, Duration::from_secs(1)).burst(0);

fn main() {
    let _ = (GOOD, WRONG, CLOSED, EMPTY);
}

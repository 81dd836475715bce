// The compiler checks constant durations, and those that are made from a constant.

use ratelimit::{Rejection, rate_limit};
use std::time::Duration;

const NONE: Duration = Duration::ZERO;
const ZERO: u64 = 0;
const YEARS: Duration = Duration::from_secs(400 * 24 * 3600);
const TINY: Duration = Duration::from_micros(1500);

#[rate_limit(time = NONE)]
async fn a() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = YEARS)]
async fn b() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = TINY)]
async fn c() -> Result<(), Rejection> { Ok(()) }

#[rate_limit(time = Duration::from_millis(0), count = 5)]
async fn d() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = Duration::from_secs(ZERO), count = 5)]
async fn e() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(wait = YEARS)]
async fn f() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(wait = TINY)]
async fn g() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(block = YEARS, by = "global")]
async fn h() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(block = ["1m", TINY], by = "global")]
async fn i() -> Result<(), Rejection> { Ok(()) }

fn main() {}

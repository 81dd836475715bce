// Expressions of a wrong type: the caret is under the value.

use ratelimit::{Limit, MemoryStore, Rejection, rate_limit};
use std::time::Duration;

// Expressions must have the types of the runtime: `u32` for units, `Duration` for time.

const SECONDS: u64 = 60;
const MANY: u64 = 5;
const LIMIT: Limit = Limit::counter(5, Duration::from_secs(60));

#[rate_limit(time = SECONDS, count = MANY)]
async fn constants() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = seconds, count = many, cost = bytes.len() / 1024)]
async fn expressions(seconds: u64, many: i64, bytes: &[u8]) -> Result<(), Rejection> { Ok(()) }

// Every unsigned integer is a cost. Other numbers are not.
#[rate_limit(cost = rows - 1)]
async fn a(rows: i64) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(cost = 4, settle = |_| 1.5)]
async fn b() -> Result<(), Rejection> { Ok(()) }

// `limit` must be a `Limit`.
#[rate_limit(limit = count)]
async fn c(count: u32) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(limit = &LIMIT)]
async fn d() -> Result<(), Rejection> { Ok(()) }

// The compiler reports a name that is not an argument.
#[rate_limit(skip_if = user.is_admin)]
async fn e() -> Result<(), Rejection> { Ok(()) }

// `skip_if` and `shadow` must be a `bool`.
#[rate_limit(skip_if = user)]
async fn f(user: u64) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = 5, skip_if = name.len())]
async fn g(name: &str) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(shadow = percent)]
async fn h(percent: u32) -> Result<(), Rejection> { Ok(()) }

// `limiter` must be a `RateLimiter`.
#[rate_limit(limiter = store)]
async fn report(store: &MemoryStore) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = 1, count = 5, limiter = limits)]
#[rate_limit(time = "1d", count = 500)]
async fn i(limits: u32) -> Result<(), Rejection> { Ok(()) }

fn main() {}

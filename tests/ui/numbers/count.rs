// Values of `count`.

use ratelimit::{Rejection, rate_limit};

// `count` is at least 1, because a limit of zero refuses every call.
#[rate_limit(count = 0)]
async fn a() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = 0x0)]
async fn b() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = (0))]
async fn c() -> Result<(), Rejection> { Ok(()) }

// `count` cannot be negative.
#[rate_limit(count = -1)]
async fn d() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = -2.5)]
async fn e() -> Result<(), Rejection> { Ok(()) }

// `count` must be a whole number. If it is in quotes, the message shows it without them.
#[rate_limit(count = "5")]
async fn f() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = "five")]
async fn g() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = 2.5)]
async fn h() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = true)]
async fn i() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = 100k)]
async fn j() -> Result<(), Rejection> { Ok(()) }

// `count` must fit a `u32`.
#[rate_limit(count = 4294967296)]
async fn k() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = 99999999999999999999999999)]
async fn l() -> Result<(), Rejection> { Ok(()) }

// The largest `count` of each algorithm.
#[rate_limit(algorithm = "sliding_window", count = 33554432)]
async fn m() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "sliding_log", count = 10001)]
async fn n() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "concurrency", count = 10001)]
async fn o() -> Result<(), Rejection> { Ok(()) }

fn main() {}

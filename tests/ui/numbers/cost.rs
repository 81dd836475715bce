// Values of `cost`.

use ratelimit::{Rejection, rate_limit};

// `cost` is at least 1, because a call that costs nothing is not limited.
#[rate_limit(cost = 0)]
async fn a() -> Result<(), Rejection> { Ok(()) }

// `cost` cannot be negative.
#[rate_limit(cost = -1)]
async fn d() -> Result<(), Rejection> { Ok(()) }

// `cost` must be a whole number. If it is in quotes, the message shows it without them.
#[rate_limit(cost = "5")]
async fn f() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(cost = "five")]
async fn g() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(cost = 2.5)]
async fn h() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(cost = true)]
async fn i() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(cost = 100k)]
async fn j() -> Result<(), Rejection> { Ok(()) }

// `cost` must fit a `u32`.
#[rate_limit(cost = 4294967296)]
async fn k() -> Result<(), Rejection> { Ok(()) }

// A call whose cost is above what the limit can hold never passes.
#[rate_limit(count = 5, cost = 6)]
async fn m() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", count = 50, burst = 5, cost = 6)]
async fn n() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(cost = 101)]
async fn o() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", count = 50, burst = 5, borrow = 2, cost = 8)]
async fn p() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", count = 5, borrow = 2, cost = 8)]
async fn q() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "leaky_bucket", count = 50, burst = 5, cost = 6)]
async fn r() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "concurrency", count = 5, cost = 6)]
async fn s() -> Result<(), Rejection> { Ok(()) }

fn main() {}

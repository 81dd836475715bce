// Values of `burst` and `borrow`, and the numbers of a bucket.

use ratelimit::{Rejection, rate_limit};

// `burst` is at least 1, because a bucket of zero refuses every call.
#[rate_limit(algorithm = "token_bucket", burst = 0)]
async fn a() -> Result<(), Rejection> { Ok(()) }

// `burst` cannot be negative.
#[rate_limit(algorithm = "token_bucket", burst = -1)]
async fn d() -> Result<(), Rejection> { Ok(()) }

// `burst` must be a whole number. If it is in quotes, the message shows it without them.
#[rate_limit(algorithm = "token_bucket", burst = "5")]
async fn f() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", burst = "five")]
async fn g() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", burst = 2.5)]
async fn h() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", burst = true)]
async fn i() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", burst = 100k)]
async fn j() -> Result<(), Rejection> { Ok(()) }

// `burst` must fit a `u32`.
#[rate_limit(algorithm = "token_bucket", burst = 4294967296)]
async fn k() -> Result<(), Rejection> { Ok(()) }

// `borrow` is a number of tokens.
#[rate_limit(algorithm = "token_bucket", borrow = -1)]
async fn m() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", borrow = "5")]
async fn n() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", borrow = 1.5)]
async fn o() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", borrow = 4294967296)]
async fn p() -> Result<(), Rejection> { Ok(()) }

// `burst` needs a bucket; `refill` and `borrow` need a token bucket.
#[rate_limit(burst = 5)]
async fn q() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "counter", count = 5, refill = "interval", burst = 5)]
async fn r() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "sliding_log", burst = 5, borrow = 1)]
async fn s() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "leaky_bucket", refill = "greedy", borrow = 1)]
async fn t() -> Result<(), Rejection> { Ok(()) }

// The numbers of a bucket must allow exact arithmetic.
#[rate_limit(algorithm = "token_bucket", count = 33554431, time = "366d")]
async fn u() -> Result<(), Rejection> { Ok(()) }

// A bucket must refill within 366 days.
#[rate_limit(algorithm = "token_bucket", count = 1, burst = 367, time = "1d")]
async fn v() -> Result<(), Rejection> { Ok(()) }

// The numbers of a bucket are at most 2^25.
#[rate_limit(algorithm = "token_bucket", count = 33554433)]
async fn w() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", count = 5, burst = 33554433)]
async fn x() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "leaky_bucket", count = 33554433)]
async fn y() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", count = 5, burst = 33554432, borrow = 1)]
async fn z() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", count = 33554431, borrow = 2)]
async fn aa() -> Result<(), Rejection> { Ok(()) }

// Forms that cannot be a number.
#[rate_limit(count = |user| user.limit)]
async fn ab() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(cost = |rows| rows / 100)]
async fn ac() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(cost = "rows")]
async fn ad() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", burst = "many")]
async fn ae() -> Result<(), Rejection> { Ok(()) }

fn main() {}

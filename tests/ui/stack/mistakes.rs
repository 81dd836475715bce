// Mistakes in several limits of one function.

use ratelimit::{Rejection, rate_limit};

// The mistakes of all attributes are reported at once.

#[rate_limit(time = 0)]
#[rate_limit(tiem = 60)]
#[rate_limit(count = 0, key = "{b}")]
async fn a() -> Result<(), Rejection> { Ok(()) }

#[rate_limit]
#[rate_limit = 5]
async fn b() -> Result<(), Rejection> { Ok(()) }

// A limit that is never used up, because another one admits less.
#[rate_limit(time = 1, count = 10)]
#[rate_limit(time = "1m", count = 620)]
async fn c() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "1h", count = 50)]
#[rate_limit(time = "1s", count = 100)]
async fn d() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "1s", count = 1)]
#[rate_limit(time = "30s")]
async fn e() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "sliding_log", time = "1s", count = 10)]
#[rate_limit(algorithm = "sliding_log", time = "90s", count = 900)]
async fn f() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "sliding_log", time = "1s", count = 10)]
#[rate_limit(algorithm = "sliding_window", time = "90s", count = 920)]
async fn g() -> Result<(), Rejection> { Ok(()) }

// Arguments for all limits of a function must be in the first attribute.
#[rate_limit(time = 1, count = 5)]
#[ratelimit::rate_limit(time = "1d", limiter = limiter, on_limit = |_| Ok(()), crate = ratelimit)]
async fn h() -> Result<(), Rejection> { Ok(()) }

fn main() {}

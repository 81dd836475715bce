// Values of `algorithm` and `refill`.

use ratelimit::{Rejection, rate_limit};

// An unknown algorithm: the message suggests a word, or lists all of them.
#[rate_limit(algorithm = "token-bucket")]
async fn a() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "gcra")]
async fn b() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", refill = "intervall")]
async fn c() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", refill = "slow")]
async fn d() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "fixed-window")]
async fn e() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "Semaphore")]
async fn f() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "moving window")]
async fn g() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "throttle")]
async fn h() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "sliding")]
async fn i() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "bucket")]
async fn j() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "fair")]
async fn k() -> Result<(), Rejection> { Ok(()) }

// `algorithm` takes a word in quotes.
#[rate_limit(algorithm = token_bucket)]
async fn l() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = TokenBucket, burst = 5)]
async fn m() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", refill = true)]
async fn n() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", refill = 5)]
async fn o() -> Result<(), Rejection> { Ok(()) }

fn main() {}

// Values of `wait`.

use ratelimit::{Rejection, rate_limit};

// `wait` is written like `time`.
#[rate_limit(wait = 2s)]
async fn a() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(wait = "2")]
async fn b() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(wait = "soon")]
async fn c() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(wait = 1.5)]
async fn d() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(wait = -1)]
async fn e() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(wait = true)]
async fn f() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(wait = "367d")]
async fn g() -> Result<(), Rejection> { Ok(()) }

// A `wait` of zero must be left out.
#[rate_limit(wait = 0)]
async fn h() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(wait = "0s")]
async fn i() -> Result<(), Rejection> { Ok(()) }

// A leaky bucket with `wait` is a queue and takes no `burst`.
#[rate_limit(algorithm = "leaky_bucket", burst = 5, wait = "2s")]
async fn j() -> Result<(), Rejection> { Ok(()) }

fn main() {}

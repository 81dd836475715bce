// Values of `shadow`.

use ratelimit::{Rejection, rate_limit};

// The names of other libraries are recognized, and the message says what to write instead.
#[rate_limit(dry_run = true)]
async fn a() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(log_only = true)]
async fn b() -> Result<(), Rejection> { Ok(()) }

// `shadow` must be a `bool`.
#[rate_limit(shadow = "true")]
async fn c() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(shadow = 1)]
async fn d() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(shadow = |_| true)]
async fn e() -> Result<(), Rejection> { Ok(()) }

// `shadow` needs a value.
#[rate_limit(shadow)]
async fn f() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = 5, shadow)]
async fn g() -> Result<(), Rejection> { Ok(()) }

// A shadow limit that can never be used up reports nothing.
#[rate_limit(key = "k", time = 1, count = 5, shadow = true)]
#[rate_limit(key = "k", time = "1m", count = 1000, shadow = true)]
async fn h() -> Result<(), Rejection> { Ok(()) }

fn main() {}

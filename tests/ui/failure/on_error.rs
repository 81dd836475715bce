// Values of `on_error`.

use ratelimit::{Rejection, rate_limit};

// `on_error` takes one of three words.
#[rate_limit(on_error = "localy")]
async fn a() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(on_error = "panic")]
async fn b() -> Result<(), Rejection> { Ok(()) }

// The words of `on_error` need quotes.
#[rate_limit(on_error = deny)]
async fn c() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(on_error = OnError::Deny)]
async fn d() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(on_error = true)]
async fn e() -> Result<(), Rejection> { Ok(()) }

// A word of another library, without quotes.
#[rate_limit(on_error = fail_open)]
async fn f() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(on_error = closed)]
async fn g() -> Result<(), Rejection> { Ok(()) }

// The names of other libraries are recognized, and the message says what to write instead.
#[rate_limit(on_error = "fail-open")]
async fn h() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(on_error = "closed")]
async fn i() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(on_error = "memory")]
async fn j() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(fail_open = true)]
async fn k() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(fail_closed = true)]
async fn l() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(in_memory_fallback = true)]
async fn m() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(on_failure = "deny")]
async fn n() -> Result<(), Rejection> { Ok(()) }

// `on_error` is for all limits of a function.
#[rate_limit(key = "a", count = 5, on_error = "deny")]
#[rate_limit(key = "b", count = 5, on_error = "allow")]
async fn o() -> Result<(), Rejection> { Ok(()) }

fn main() {}

// Wrong names and forms of arguments.

use ratelimit::{Rejection, rate_limit};

// A misspelt name gets a suggestion. For other names the message lists the choice.
#[rate_limit(cuont = 5)]
async fn a() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(Time = 60)]
async fn b() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(on_limt = |_| Ok(()))]
async fn c() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(colour = "red")]
async fn d() -> Result<(), Rejection> { Ok(()) }

// An argument may be given once. The caret is under the second one.
#[rate_limit(count = 5, time = 60, count = 6)]
async fn e() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = "a", by = "ip", by = "global", key = "b")]
async fn f() -> Result<(), Rejection> { Ok(()) }

// Arguments need names.
#[rate_limit("login")]
async fn g() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(5)]
async fn h() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(login::KEY, 5)]
async fn i() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(-1)]
async fn j() -> Result<(), Rejection> { Ok(()) }
#[rate_limit((5, 60))]
async fn k() -> Result<(), Rejection> { Ok(()) }

// `burst` is not reported while `algorithm` is misspelt.
#[rate_limit(algoritm = "token_bucket", burst = 5)]
async fn l() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(cout = 500, cost = 200)]
async fn m() -> Result<(), Rejection> { Ok(()) }

// A missing comma does not hide other mistakes.
#[rate_limit(count = 5 time = 60, tiem = 60)]
async fn n() -> Result<(), Rejection> { Ok(()) }

// A value that is not an expression is reported where it breaks.
#[rate_limit(count = 5 +, time = 0)]
async fn o() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(by = user., count = 0)]
async fn p() -> Result<(), Rejection> { Ok(()) }

// `crate` must be a path.
#[rate_limit(crate = "ratelimit")]
async fn q() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(crate = <Self as Trait>::ratelimit)]
async fn r() -> Result<(), Rejection> { Ok(()) }

// Each argument needs a value, and the message shows one.
#[rate_limit(key, time, count, by, algorithm, burst)]
async fn s() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(refill =, cost =, on_limit =, limiter =, crate =)]
async fn t() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count(5))]
async fn u() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count: 5)]
async fn v() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(borrow, wait, refund_if =, settle =, limit)]
async fn w() -> Result<(), Rejection> { Ok(()) }

fn main() {}

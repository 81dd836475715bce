// Values of `keep`.

use ratelimit::{Rejection, rate_limit};

// `keep` cannot be negative.
#[rate_limit(keep = -1)]
async fn a() -> Result<(), Rejection> { Ok(()) }

// `keep` must be a whole number.
#[rate_limit(keep = "20")]
async fn b() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(keep = "20%")]
async fn c() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(keep = 0.2)]
async fn d() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(keep = |user| user.is_paying)]
async fn e() -> Result<(), Rejection> { Ok(()) }

// A call that must leave more than the limit can hold never passes.
#[rate_limit(count = 20, keep = 20)]
async fn f() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = 20, cost = 5, keep = 16)]
async fn g() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", count = 50, burst = 5, borrow = 2, keep = 7)]
async fn h() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "concurrency", time = 30, count = 5, keep = 5)]
async fn i() -> Result<(), Rejection> { Ok(()) }

// A turn in a later window makes the units of earlier windows unusable.
#[rate_limit(count = 20, keep = 5, wait = "2s")]
async fn j() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "sliding_window", count = 20, keep = 5, wait = "2s")]
async fn k() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "sliding_log", count = 20, keep = 5, wait = "2s")]
async fn l() -> Result<(), Rejection> { Ok(()) }

// The name in other libraries.
#[rate_limit(reserve = 20)]
async fn m() -> Result<(), Rejection> { Ok(()) }

// These are valid: nothing is left to others, the limit holds exactly these units, a queue, and permits.
#[rate_limit(keep = 0)]
async fn n() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = 20, cost = 5, keep = 15)]
async fn o() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "leaky_bucket", time = 1, count = 10, keep = 15, wait = "2s")]
async fn p() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "concurrency", time = 30, count = 5, keep = 2, wait = "2s")]
async fn q() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = 20, keep = if is_paying { 0 } else { 5_usize })]
async fn r(is_paying: bool) -> Result<(), Rejection> { Ok(()) }

fn main() {}

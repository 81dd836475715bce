// Values of `lease`.

use ratelimit::{Rejection, rate_limit};

// A lease is a number of units.
#[rate_limit(lease = 0)]
async fn a() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(lease = "5")]
async fn b() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(lease = -1)]
async fn c() -> Result<(), Rejection> { Ok(()) }

// `lease` needs a number.
#[rate_limit(count = 100, lease)]
async fn d() -> Result<(), Rejection> { Ok(()) }

// A lease is at most half of what the limit can hold.
#[rate_limit(count = 100, lease = 51)]
async fn e() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(lease = 100)]
async fn f() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = 100, algorithm = "token_bucket", burst = 10, lease = 6)]
async fn g() -> Result<(), Rejection> { Ok(()) }

// Only counters and token buckets have leases.
#[rate_limit(lease = 5, algorithm = "sliding_log")]
async fn h() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(count = 10, lease = 5, algorithm = "leaky_bucket")]
async fn i() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(lease = 5, algorithm = "concurrency")]
async fn j() -> Result<(), Rejection> { Ok(()) }

// The lease of a permit is its `time`.
#[rate_limit(algorithm = "concurrency", count = 5, lease = 30)]
async fn k() -> Result<(), Rejection> { Ok(()) }

// Several limits of one function have no leases.
#[rate_limit(key = "a", lease = 5)]
#[rate_limit(key = "b")]
async fn l() -> Result<(), Rejection> { Ok(()) }

// The word `auto`, and words that are near it.
#[rate_limit(lease = "atuo")]
async fn m() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(lease = auto)]
async fn n() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(lease = "adaptive")]
async fn o() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(lease = "a lot")]
async fn p() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(lease = true)]
async fn q() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(lease = "auto", algorithm = "sliding_window")]
async fn r() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(lease = "auto", wait = "1s")]
async fn s() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(key = "a", lease = "auto")]
#[rate_limit(key = "b")]
async fn t() -> Result<(), Rejection> { Ok(()) }

// An argument may have that name.
#[rate_limit(lease = auto)]
async fn u(auto: u32) -> Result<(), Rejection> { Ok(()) }

// Arguments that need the store for each call exclude a lease.
#[rate_limit(lease = 5, wait = "1s")]
async fn v() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(lease = 5, refund_if = Result::is_err)]
async fn w() -> Result<(), Rejection> { Ok(()) }

fn main() {}

// Values of `block`, and limits that cannot block.

use ratelimit::{Rejection, rate_limit};

// A block is a duration, or several that grow.
#[rate_limit(block)]
async fn a() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(block = "15")]
async fn b() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(block = 0)]
async fn c() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(block = "1500ms")]
async fn d() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(block = "400d")]
async fn e() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(block = [])]
async fn f() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(block = ["1m", "10m", "10m"])]
async fn g() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(block = ["1m", "0s", "1h"])]
async fn h() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(block = [1, 2, 3, 4, 5])]
async fn i() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(block = "1m,10m, 1h")]
async fn k() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(block = true)]
async fn j() -> Result<(), Rejection> { Ok(()) }

// A mistake in a duration has its own message. Constants are not checked here: the compiler
// reports them only if nothing else is wrong.
//
// Each step is a duration, as `time` is.
#[rate_limit(block = "1m1h", time = 60)]
async fn l() -> Result<(), Rejection> { Ok(()) }

// Logs and permits have no place for a block.
#[rate_limit(block = "1m", algorithm = "sliding_log")]
async fn m() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(block = "1m", algorithm = "concurrency", count = 5)]
async fn n() -> Result<(), Rejection> { Ok(()) }

// Arguments that exclude a block.
#[rate_limit(block = "1m", count = 100, lease = 5)]
async fn o() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(block = "1m", shadow = true)]
async fn p() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(block = "1m", limit = ratelimit::Limit::counter(5, Duration::from_secs(60)))]
async fn q() -> Result<(), Rejection> { Ok(()) }

// Without `by`, the block is for everybody, which must be written.
#[rate_limit(block = "1m", count = 5)]
async fn s() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(block = "1m", count = 5, by = "global")]
async fn t() -> Result<(), Rejection> { Ok(()) }

// The names of other libraries.
#[rate_limit(ban_for = "1m")]
async fn r() -> Result<(), Rejection> { Ok(()) }

fn main() {}

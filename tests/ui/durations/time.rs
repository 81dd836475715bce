// Values of `time`.

use ratelimit::{Rejection, rate_limit};

// A fraction must be written in a smaller unit.
#[rate_limit(time = 1.5)]
async fn a() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "1.5s")]
async fn b() -> Result<(), Rejection> { Ok(()) }

// A duration cannot be negative.
#[rate_limit(time = -60)]
async fn c() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "-60s")]
async fn d() -> Result<(), Rejection> { Ok(()) }

// A duration in quotes needs a unit. Seconds need no quotes.
#[rate_limit(time = "60")]
async fn e() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "1h30")]
async fn f() -> Result<(), Rejection> { Ok(()) }

// Values that are not a duration.
#[rate_limit(time = "")]
async fn g() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "h")]
async fn h() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "one hour")]
async fn i() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "1,5s")]
async fn j() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = true)]
async fn k() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = 'm')]
async fn l() -> Result<(), Rejection> { Ok(()) }

// Units must be in order, the largest first, each once.
#[rate_limit(time = "30m1h")]
async fn m() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "1s1s")]
async fn n() -> Result<(), Rejection> { Ok(()) }

// A window is at most 366 days long.
#[rate_limit(time = 31622401)]
async fn o() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "367d")]
async fn p() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = 99999999999999999999)]
async fn q() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "99999999999999999999s")]
async fn r() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "9999999999999999d")]
async fn s() -> Result<(), Rejection> { Ok(()) }

// A duration with a unit needs quotes.
#[rate_limit(time = 60s)]
async fn t() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = 1h30m)]
async fn u() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = 500ms)]
async fn v() -> Result<(), Rejection> { Ok(()) }

// Unknown units, and the words of other notations.
#[rate_limit(time = "3q")]
async fn w() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "10 seconds")]
async fn x() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "5min")]
async fn y() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "2hours")]
async fn z() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "1day")]
async fn aa() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "250millis")]
async fn ab() -> Result<(), Rejection> { Ok(()) }

// A window must be at least 1 ms long.
#[rate_limit(time = 0)]
async fn ac() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "0s")]
async fn ad() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "0h0m")]
async fn ae() -> Result<(), Rejection> { Ok(()) }

// The lease of a permit is at least 1 s.
#[rate_limit(algorithm = "concurrency", time = "500ms")]
async fn af() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "concurrency", time = "0s")]
async fn ag() -> Result<(), Rejection> { Ok(()) }

fn main() {}

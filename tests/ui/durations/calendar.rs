// Windows of the calendar: `time` and `zone`.

use ratelimit::{Rejection, rate_limit};

// A zone is an offset from UTC. Zones with a name are not known.
#[rate_limit(time = "month", zone = "Europe/Berlin")]
async fn a() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "month", zone = "UTC")]
async fn b() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "month", zone = "+1:00")]
async fn c() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "month", zone = "+24:00")]
async fn d() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "month", zone = 1)]
async fn e() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "month", timezone = "+01:00")]
async fn f() -> Result<(), Rejection> { Ok(()) }

// A zone needs a window of the calendar.
#[rate_limit(time = "30d", zone = "+01:00")]
async fn g() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(zone = "+01:00")]
async fn h() -> Result<(), Rejection> { Ok(()) }

// Only a counter has such windows.
#[rate_limit(time = "day", algorithm = "token_bucket")]
async fn i() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "day", algorithm = "leaky_bucket", wait = "1s")]
async fn j() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "day", algorithm = "sliding_window")]
async fn k() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "day", algorithm = "sliding_log")]
async fn l() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "day", algorithm = "concurrency", count = 5)]
async fn m() -> Result<(), Rejection> { Ok(()) }

// No call waits for the next window.
#[rate_limit(time = "day", wait = "2s")]
async fn n() -> Result<(), Rejection> { Ok(()) }

// No such window.
#[rate_limit(time = "year")]
async fn o() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "1 year")]
async fn o2() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "1 month")]
async fn o3() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "2weeks")]
async fn o4() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(wait = "day")]
async fn p() -> Result<(), Rejection> { Ok(()) }

// These are valid.
#[rate_limit(time = "hour")]
async fn q() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(time = "month", zone = "-03:30", count = count, lease = 5)]
async fn r(count: u32) -> Result<(), Rejection> { Ok(()) }

fn main() {}

// Names and notations of other libraries: the message says what to write instead.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(max = 5, per = 60)]
async fn a() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(window = 60)]
async fn b() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(capacity = 5)]
async fn c() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(weight = 2)]
async fn d() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(fallback = |_| Ok(()))]
async fn e() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(strategy = "token_bucket")]
async fn f() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(per_ip = true)]
async fn g() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(prefix = "a")]
async fn h() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(store = store)]
async fn i() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(refill_mode = "greedy")]
async fn j() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(timeout = "2s")]
async fn k() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(overdraft = 5, refund = |_| true, count_if = |_| true, actual_cost = |_| 5)]
async fn l() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(policy = POLICY)]
async fn m() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(semaphore = 5)]
async fn n() -> Result<(), Rejection> { Ok(()) }

#[rate_limit(near_limit = 0.8)]
async fn ad() -> Result<(), Rejection> { Ok(()) }

// A rate is written as two arguments.
#[rate_limit(per_second = 10)]
async fn o() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(rpm = 100)]
async fn p() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(per_hour = 1000)]
async fn q() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(per_day = daily)]
async fn r() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(user = "id")]
async fn s() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(header = "x-api-key")]
async fn t() -> Result<(), Rejection> { Ok(()) }

// Rates in the notation of other libraries.
#[rate_limit("10/minute")]
async fn u() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(limit = "100 per hour")]
async fn v() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(rate = "5/second")]
async fn w() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(limits = "5/day")]
async fn x() -> Result<(), Rejection> { Ok(()) }

// Names of other languages are recognized in camel case.
#[rate_limit(windowMs = 60000, maxRequests = 5)]
async fn y() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(keyGenerator = key)]
async fn z() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(limitForPeriod = 5, limitRefreshPeriod = 1)]
async fn aa() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(timeoutDuration = "1s")]
async fn ab() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(fallbackMethod = fallback)]
async fn ac() -> Result<(), Rejection> { Ok(()) }

fn main() {}

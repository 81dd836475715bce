// Values of `fair`, and limits that callers cannot share in equal parts.

use ratelimit::{Rejection, rate_limit};

pub struct Tenant { id: u64 }

// What a window leaves to others is lost when it ends, so `fair` needs a bucket.
#[rate_limit(fair = tenant.id)]
async fn a(tenant: Tenant) -> Result<(), Rejection> { let _ = tenant.id; Ok(()) }
#[rate_limit(algorithm = "sliding_window", fair = tenant.id)]
async fn b(tenant: Tenant) -> Result<(), Rejection> { let _ = tenant.id; Ok(()) }
#[rate_limit(algorithm = "concurrency", time = 30, fair = tenant.id)]
async fn c(tenant: Tenant) -> Result<(), Rejection> { let _ = tenant.id; Ok(()) }

// The units of the bucket come back one by one, and nobody takes them in advance or has a turn.
#[rate_limit(algorithm = "token_bucket", refill = "interval", fair = tenant.id)]
async fn d(tenant: Tenant) -> Result<(), Rejection> { let _ = tenant.id; Ok(()) }
#[rate_limit(algorithm = "leaky_bucket", wait = "2s", fair = tenant.id)]
async fn e(tenant: Tenant) -> Result<(), Rejection> { let _ = tenant.id; Ok(()) }
#[rate_limit(algorithm = "token_bucket", lease = 10, fair = tenant.id)]
async fn f(tenant: Tenant) -> Result<(), Rejection> { let _ = tenant.id; Ok(()) }
#[rate_limit(algorithm = "token_bucket", by = "ip", block = "1m", fair = tenant.id)]
async fn g(tenant: Tenant) -> Result<(), Rejection> { let _ = tenant.id; Ok(()) }

// A caller must be a value of the function that differs from call to call.
#[rate_limit(algorithm = "token_bucket", fair = "ip")]
async fn h() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", fair = 7)]
async fn i() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(algorithm = "token_bucket", fair = |tenant| tenant.id)]
async fn j(tenant: Tenant) -> Result<(), Rejection> { let _ = tenant.id; Ok(()) }
#[rate_limit(algorithm = "token_bucket", fair = [1, 2])]
async fn k() -> Result<(), Rejection> { Ok(()) }

// Each bucket would have one caller.
#[rate_limit(algorithm = "token_bucket", by = tenant.id, fair = tenant.id)]
async fn l(tenant: Tenant) -> Result<(), Rejection> { let _ = tenant.id; Ok(()) }

// The name in other libraries.
#[rate_limit(algorithm = "token_bucket", fair_by = tenant.id)]
async fn m(tenant: Tenant) -> Result<(), Rejection> { let _ = tenant.id; Ok(()) }

// These are valid.
#[rate_limit(algorithm = "token_bucket", fair = tenant.id)]
async fn n(tenant: Tenant) -> Result<(), Rejection> { let _ = tenant.id; Ok(()) }
#[rate_limit(algorithm = "leaky_bucket", by = region, fair = (tenant.id, kind))]
async fn o(tenant: Tenant, region: &str, kind: &str) -> Result<(), Rejection> { let _ = (tenant.id, region, kind); Ok(()) }

fn main() {}

// Values of `limit`.

#![allow(unused_variables)]

use ratelimit::{Limit, Rejection, rate_limit};

// `limit` must be a `Limit`, not a number of calls.
#[rate_limit(limit = 5, per = 60)]
async fn a() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(limit = 5, time = 60)]
async fn b() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(limit = "100/h")]
async fn c() -> Result<(), Rejection> { Ok(()) }
#[rate_limit(limit = true)]
async fn d() -> Result<(), Rejection> { Ok(()) }

// `limit` excludes the arguments that it replaces.

struct Plan {
    limit: Limit,
}

#[rate_limit(limit = plan.limit, count = 5, time = 60)]
async fn e(plan: &Plan) -> Result<(), Rejection> { Ok(()) }
#[rate_limit(limit = plan.limit, algorithm = "token_bucket", burst = 5, refill = "interval", borrow = 1, wait = 1)]
async fn f(plan: &Plan) -> Result<(), Rejection> { Ok(()) }

fn main() {
    let _ = |plan: Plan| plan.limit;
}

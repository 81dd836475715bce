// `limit` excludes the arguments that it replaces.

use ratelimit::{Limit, Rejection, rate_limit};

struct Plan {
    limit: Limit,
}

#[rate_limit(limit = plan.limit, count = 5, time = 60)]
async fn a(plan: &Plan) -> Result<(), Rejection> {
    let _ = plan;
    Ok(())
}

#[rate_limit(limit = plan.limit, algorithm = "token_bucket", burst = 5, refill = "interval", borrow = 1, wait = 1)]
async fn b(plan: &Plan) -> Result<(), Rejection> {
    let _ = plan;
    Ok(())
}

fn main() {
    let _ = |plan: Plan| plan.limit;
}

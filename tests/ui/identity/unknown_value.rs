// The compiler's message for an expression in `by` has its caret under the expression.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(by = user.id)]
async fn report(id: u64) -> Result<(), Rejection> {
    let _ = id;
    Ok(())
}

fn main() {}

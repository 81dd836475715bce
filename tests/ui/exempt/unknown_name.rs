// The compiler reports a name that is not an argument.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(skip_if = user.is_admin)]
async fn a() -> Result<(), Rejection> {
    Ok(())
}

fn main() {}

// An expression in `by` is the user's own: the compiler's words, under it.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(by = user.id)]
async fn report(id: u64) -> Result<(), Rejection> {
    let _ = id;
    Ok(())
}

fn main() {}

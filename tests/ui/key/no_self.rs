// Only methods have a `self`.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(key = "report:{self.tenant}")]
async fn a(id: u64, name: &str) -> Result<(), Rejection> {
    let _ = (id, name);
    Ok(())
}

fn main() {}

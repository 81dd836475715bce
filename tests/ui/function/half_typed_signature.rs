// A signature that is being written: the compiler's words, and few of ours.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = 5)]
async fn half(id: ) -> Result<(), Rejection> {
    Ok(())
}

fn main() {
    let _ = half(5);
}

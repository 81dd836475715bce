// An unfinished signature: mostly the compiler's messages.

use ratelimit::{Rejection, rate_limit};

#[rate_limit(count = 5)]
async fn half(id: ) -> Result<(), Rejection> {
    Ok(())
}

fn main() {
    let _ = half(5);
}

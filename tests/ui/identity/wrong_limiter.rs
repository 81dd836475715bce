// `limiter` must be a `RateLimiter`.

use ratelimit::{MemoryStore, Rejection, rate_limit};

#[rate_limit(limiter = store)]
async fn report(store: &MemoryStore) -> Result<(), Rejection> {
    let _ = store;
    Ok(())
}

fn main() {}

// A limit under another name is one that the block does not know.

use ratelimit::rate_limit as limited;
use ratelimit::{Rejection, rate_limit};

struct Service;

#[rate_limit(count = 5)]
impl Service {
    #[limited(count = 6)]
    async fn method(&self) -> Result<(), Rejection> {
        Ok(())
    }
}

fn main() {
    let _ = Service.method();
}

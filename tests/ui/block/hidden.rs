// The attribute of an `impl` block does not recognize an attribute under another name.

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

// `skip` is only for methods of a block that has a limit.

use ratelimit::{Rejection, rate_limit};

struct Service;

#[rate_limit(skip)]
async fn function() {}

#[rate_limit(skip)]
impl Service {
    async fn of_an_exempt_block(&self) {}
}

impl Service {
    #[rate_limit(skip)]
    async fn of_a_block_without(&self) {}
}

#[rate_limit(count = 5)]
impl Service {
    #[rate_limit(skip, count = 5, key = "own")]
    async fn with_more(&self) {}

    #[rate_limit(skip = true)]
    async fn with_a_value(&self) {}

    async fn limited(&self) -> Result<(), Rejection> {
        Ok(())
    }
}

fn main() {
    let service = Service;
    let _ = (function(), service.of_an_exempt_block(), service.of_a_block_without());
    let _ = (service.with_more(), service.with_a_value(), service.limited());
}

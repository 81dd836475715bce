// Under `#[async_trait]`, the caret is also under the return type that the user wrote.

use async_trait::async_trait;
use ratelimit::rate_limit;

struct Smtp;

#[async_trait]
trait Mail {
    async fn send(&self);
    async fn count(&self) -> Option<u64>;
}

#[async_trait]
impl Mail for Smtp {
    #[rate_limit(count = 5)]
    async fn send(&self) {}

    #[rate_limit(count = 5)]
    async fn count(&self) -> Option<u64> {
        None
    }
}

fn main() {}

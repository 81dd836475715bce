// Under `#[async_trait]` too, the caret is under what the user has written.

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

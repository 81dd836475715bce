// `None` could mean anything, so it is not made of a refusal.

use ratelimit::rate_limit;

#[rate_limit(count = 5)]
async fn find(id: u64) -> Option<u64> {
    Some(id)
}

fn main() {}

// An `Option` cannot represent a rejection, because `None` could mean anything.

use ratelimit::rate_limit;

#[rate_limit(count = 5)]
async fn find(id: u64) -> Option<u64> {
    Some(id)
}

fn main() {}

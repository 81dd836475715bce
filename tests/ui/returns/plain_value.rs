// A plain value cannot represent a rejection.

use ratelimit::rate_limit;

#[rate_limit(count = 5)]
async fn number() -> u64 {
    1
}

#[rate_limit(count = 5)]
async fn text<'a>(name: &'a str) -> &'a str {
    name
}

fn main() {}

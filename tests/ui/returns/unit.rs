// A function that returns nothing cannot tell its caller of a refusal.

use ratelimit::rate_limit;

#[rate_limit(count = 5)]
async fn silent() {}

#[rate_limit(count = 5)]
async fn unit() -> () {}

fn main() {}

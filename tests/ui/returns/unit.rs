// A function that returns nothing cannot report a rejection.

use ratelimit::rate_limit;

#[rate_limit(count = 5)]
async fn silent() {}

#[rate_limit(count = 5)]
async fn unit() -> () {}

fn main() {}

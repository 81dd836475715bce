// What is no function and has no name of its own here.

use ratelimit::rate_limit;

#[rate_limit(count = 5)]
extern crate core;

#[rate_limit(count = 5)]
union Union {
    _number: u8,
}

fn main() {}

// Items for which the message has no word of its own.

use ratelimit::rate_limit;

#[rate_limit(count = 5)]
extern crate core;

#[rate_limit(count = 5)]
union Union {
    _number: u8,
}

fn main() {}

// `on_limit` takes a rejection and returns what the function returns.

use ratelimit::rate_limit;

fn refused(message: String) -> u64 {
    message.len() as u64
}

#[rate_limit(count = 5, on_limit = |rejection| rejection.to_string())]
async fn wrong_value() -> u64 {
    1
}

#[rate_limit(count = 5, on_limit = refused)]
async fn wrong_argument() -> u64 {
    1
}

#[rate_limit(count = 5, on_limit = 0)]
async fn no_function() -> u64 {
    1
}

fn main() {}

// The error `String` does not implement `From<Rejection>`.

use ratelimit::rate_limit;

#[rate_limit(count = 5)]
async fn a() -> Result<(), String> {
    Ok(())
}

#[rate_limit(count = 5)]
async fn b() -> String {
    "b".to_owned()
}

fn main() {}

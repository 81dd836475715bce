// In a `Result` an opaque type is allowed, but the error must implement `From<Rejection>`.

use ratelimit::rate_limit;
use std::fmt::{self, Display};

#[rate_limit(count = 5)]
async fn text() -> Result<impl Display, fmt::Error> {
    Ok(1)
}

fn main() {}

// Inside a `Result`, an opaque type is no obstacle; the error still has to be made from a rejection.

use ratelimit::rate_limit;
use std::fmt::{self, Display};

#[rate_limit(count = 5)]
async fn text() -> Result<impl Display, fmt::Error> {
    Ok(1)
}

fn main() {}

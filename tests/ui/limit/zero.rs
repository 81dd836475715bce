// A limit that is written in the code does not refuse every call.

use ratelimit::Limit;
use std::time::Duration;

const CLOSED: Limit = Limit::counter(0, Duration::from_secs(1));
const EMPTY: Limit = Limit::token_bucket(5, Duration::from_secs(1)).burst(0);

fn main() {
    let _ = (CLOSED, EMPTY);
}

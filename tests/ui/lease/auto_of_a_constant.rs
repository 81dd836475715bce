// A constant is made with it by the compiler, at which it fails like any other.

use ratelimit::Limit;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

const GOOD: Limit = Limit::counter(100, SECOND).lease_auto();
const WRONG: Limit = Limit::sliding_log(100, SECOND).lease_auto();

fn main() {
    let _ = (GOOD, WRONG);
}

// The compiler checks an automatic lease of constants.

use ratelimit::Limit;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

const GOOD: Limit = Limit::counter(100, SECOND).lease_auto();
const WRONG: Limit = Limit::sliding_log(100, SECOND).lease_auto();

fn main() {
    let _ = (GOOD, WRONG);
}

//! A small shop with limits of each kind, and visitors who use it a little too much.

use ratelimit::{Rejection, rate_limit};
use std::time::Duration;
use tokio::time::{interval, sleep};

/// Refuses: five attempts a minute for each user.
#[rate_limit(key = "login", time = 60, count = 5, by = user)]
async fn login(user: u64) -> Result<(), Rejection> {
    Ok(())
}

/// A limit for all visitors. The process takes units in advance.
#[rate_limit(key = "search", time = "1s", count = 200, lease = "auto")]
async fn search() -> Result<(), Rejection> {
    Ok(())
}

/// At most two at a time. Others wait.
#[rate_limit(key = "export", time = 30, count = 2, algorithm = "concurrency", wait = "1s")]
async fn export() -> Result<(), Rejection> {
    sleep(Duration::from_millis(150)).await;
    Ok(())
}

/// Ten calls per second to somebody else's API, evenly spaced.
#[rate_limit(key = "supplier", time = "1s", count = 10, algorithm = "leaky_bucket", wait = "500ms")]
async fn ask_supplier() -> Result<(), Rejection> {
    Ok(())
}

/// A limit on trial: it refuses nothing, but the dashboard shows what it would refuse.
#[rate_limit(key = "browse", time = "1s", count = 20, shadow = true)]
async fn browse() {}

/// A visitor. A refused visitor goes away, which is all right here.
async fn visit(number: u64) {
    browse().await;
    // Five tabs at once: calls that arrive together share a script call.
    let _ = tokio::join!(login(number % 7), login(number % 11), login(number), search(), search());
    if number.is_multiple_of(3) {
        let _ = export().await;
    }
    if number.is_multiple_of(4) {
        let _ = ask_supplier().await;
    }
}

/// Lets a visitor in every 20 ms, for as long as the process runs.
pub(crate) async fn open() {
    let mut next = interval(Duration::from_millis(20));
    for number in 0.. {
        next.tick().await;
        tokio::spawn(visit(number));
    }
}

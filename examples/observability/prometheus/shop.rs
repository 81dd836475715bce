//! A small shop with limits of each kind. Its visitors call slightly more often than the limits admit.

use ratelimit::{Rejection, rate_limit};
use std::time::Duration;
use tokio::time::{interval, sleep};

/// A limit that refuses: each user may try to log in five times per minute.
#[rate_limit(key = "login", time = 60, count = 5, by = user)]
async fn login(user: u64) -> Result<(), Rejection> {
    Ok(())
}

/// A limit for all visitors together. The process leases units in advance.
#[rate_limit(key = "search", time = "1s", count = 200, lease = "auto")]
async fn search() -> Result<(), Rejection> {
    Ok(())
}

/// At most two exports run at a time. Other calls wait.
#[rate_limit(key = "export", time = 30, count = 2, algorithm = "concurrency", wait = "1s")]
async fn export() -> Result<(), Rejection> {
    sleep(Duration::from_millis(150)).await;
    Ok(())
}

/// A limit for calls to another service: ten calls per second, evenly spaced.
#[rate_limit(key = "supplier", time = "1s", count = 10, algorithm = "leaky_bucket", wait = "500ms")]
async fn ask_supplier() -> Result<(), Rejection> {
    Ok(())
}

/// A limit on trial: it refuses nothing, but the dashboard shows what it would refuse.
#[rate_limit(key = "browse", time = "1s", count = 20, shadow = true)]
async fn browse() {}

/// The calls of a visitor. A refused visitor leaves, which is correct here.
async fn visit(number: u64) {
    browse().await;
    // The visitor opens five tabs at once. Calls that arrive together share a script call.
    let _ = tokio::join!(login(number % 7), login(number % 11), login(number), search(), search());
    if number.is_multiple_of(3) {
        let _ = export().await;
    }
    if number.is_multiple_of(4) {
        let _ = ask_supplier().await;
    }
}

/// Starts a visit every 20 ms. Never returns.
pub(crate) async fn open() {
    let mut next = interval(Duration::from_millis(20));
    for number in 0.. {
        next.tick().await;
        tokio::spawn(visit(number));
    }
}

//! Tests that the store passes the conformance suite, survives a restart, and is shared by processes.
#![expect(clippy::unwrap_used, reason = "test code")]

use ratelimit::clock::ManualClock;
use ratelimit::testing::conformance::Suite;
use ratelimit::{Limit, OnError, RateLimiter};
use sqlite_store::{SqliteStore, supports};
use std::time::Duration;

const MAILS: Limit = Limit::counter(3, Duration::from_secs(3600));

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_store_conforms() {
    let clock = ManualClock::new();
    let store = SqliteStore::with_clock(":memory:", clock.clone()).unwrap();
    let suite = Suite::new(store, async |time| clock.advance(time)).supports(supports);
    let report = suite.operations(20_000).check().await;
    assert!(report.is_passed(), "{report}");
    let known =
        ["sliding_window", "refill=interval", "wait=", "block=", "by hand", "pause", "published limits"];
    for skipped in report.skipped() {
        assert!(known.iter().any(|known| skipped.contains(known)), "{skipped}");
    }
}

fn limiter(path: &std::path::Path) -> RateLimiter {
    RateLimiter::builder().store(SqliteStore::open(path).unwrap()).on_error(OnError::Deny).build().unwrap()
}

#[tokio::test]
async fn units_stay_in_use_over_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("limits.db");
    let before = limiter(&path);
    for _ in 0..3 {
        before.check(&MAILS, "mails").await.unwrap();
    }
    drop(before);
    assert!(limiter(&path).check(&MAILS, "mails").await.is_err());
}

/// Two stores on one file lock each other out, like two processes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_share_the_limits() {
    const CALLS: Limit = Limit::token_bucket(40, Duration::from_secs(3600));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("limits.db");
    let mut tasks = tokio::task::JoinSet::new();
    for limiter in [limiter(&path), limiter(&path)] {
        tasks.spawn(async move {
            let mut admitted = 0;
            for _ in 0..40 {
                admitted += u32::from(limiter.check(&CALLS, "calls").await.is_ok());
            }
            admitted
        });
    }
    assert_eq!(tasks.join_all().await.iter().sum::<u32>(), 40);
}

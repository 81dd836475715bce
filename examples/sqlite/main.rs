//! Limits in a file. They survive a restart, and all processes of the machine share them.
//!
//! `cargo run --release -p ratelimit-sqlite-example --example sqlite`

use ratelimit::{Limit, OnError, RateLimiter, Rejection, rate_limit};
use sqlite_store::SqliteStore;
use std::path::Path;
use std::time::{Duration, Instant};

#[rate_limit(key = "reports", time = "1d", count = 3, by = user)]
async fn report(user: u64) -> Result<String, Rejection> {
    Ok(format!("the report of user {user}"))
}

fn limiter(path: &Path) -> Result<RateLimiter, ratelimit::Error> {
    RateLimiter::builder().store(SqliteStore::open(path)?).on_error(OnError::Deny).build()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("limits.db");

    for start in 1..=2 {
        // A new limiter on the same file, as after a restart.
        let limiter = limiter(&path)?;
        for _ in 0..2 {
            match ratelimit::scope(limiter.clone(), report(7)).await {
                Ok(report) => println!("start {start}: {report}"),
                Err(rejection) => println!("start {start}: {rejection}"),
            }
        }
    }

    for processes in [1, 2] {
        let took = measure(&path, processes).await?;
        let each = f64::from(CALLS) / took.as_secs_f64();
        println!("{processes} connections: {each:.0} decisions per second on this machine");
    }
    Ok(())
}

const CALLS: u32 = 20_000;

/// Makes calls from `limiters` limiters at once. Each limiter has its own connection, like a process. Returns the time for
/// all calls.
async fn measure(path: &Path, limiters: u32) -> Result<Duration, Box<dyn std::error::Error>> {
    const REQUESTS: Limit = Limit::token_bucket(1_000_000, Duration::from_secs(1));
    let mut tasks = tokio::task::JoinSet::new();
    let begin = Instant::now();
    for _ in 0..limiters {
        let limiter = limiter(path)?;
        tasks.spawn(async move {
            for number in 0..CALLS / limiters {
                limiter.check(&REQUESTS, ratelimit::Key::new("requests").by(number % 1000)).await?;
            }
            Ok::<(), Rejection>(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    Ok(begin.elapsed())
}

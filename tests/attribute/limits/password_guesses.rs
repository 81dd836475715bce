//! A limit with `refund_if` bounds parallel guesses of a password, as `docs/results.md` says.

use crate::harness::{Runs, scoped};
use ratelimit::{Rejection, rate_limit};
use std::sync::Arc;
use tokio::task::JoinSet;

const GUESSES: u32 = 1000;

/// The example of `docs/results.md`.
#[rate_limit(key = "password", time = "15m", count = 5, by = runs.who(), refund_if = |is_right| matches!(is_right, Ok(true)))]
async fn log_in(password: String, runs: Arc<Runs>) -> Result<bool, Rejection> {
    runs.add();
    // Lets all other calls start before this one ends.
    tokio::task::yield_now().await;
    Ok(password == "right")
}

/// Calls the function with wrong passwords at the same time. Returns how many bodies ran.
async fn guess() -> u32 {
    let runs = Arc::new(Runs::default());
    let mut calls = JoinSet::new();
    for guess in 0..GUESSES {
        let limiter = ratelimit::RateLimiter::scoped().unwrap();
        calls.spawn(ratelimit::scope(limiter, log_in(guess.to_string(), Arc::clone(&runs))));
    }
    assert!(calls.join_all().await.into_iter().all(|is_right| !matches!(is_right, Ok(true))));
    runs.count()
}

#[tokio::test]
async fn a_charge_before_the_body_holds_against_parallel_guesses() {
    scoped(async {
        let runs = Arc::new(Runs::default());
        for _ in 0..10 {
            assert!(
                log_in("right".to_owned(), Arc::clone(&runs)).await.unwrap(),
                "a right one costs nothing"
            );
        }
        assert_eq!(guess().await, 5);
        assert!(log_in("right".to_owned(), runs).await.is_err(), "wrong ones stay charged");
    })
    .await;
}

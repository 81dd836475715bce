//! Parallel guesses of a password: `refund_if` holds against them, `charge_if` does not, as `docs/results.md` says.

use crate::harness::{Runs, scoped};
use ratelimit::{Rejection, rate_limit};
use std::future::Future;
use std::sync::Arc;
use tokio::task::JoinSet;

const GUESSES: u32 = 1000;

/// The example of `docs/results.md`.
#[rate_limit(key = "password", time = "15m", count = 5, by = runs.who(), refund_if = |is_right| matches!(is_right, Ok(true)))]
async fn log_in(password: String, runs: Arc<Runs>) -> Result<bool, Rejection> {
    compare(&password, &runs).await
}

/// The same, but charged after the body.
#[rate_limit(key = "password", time = "15m", count = 5, by = runs.who(), charge_if = |is_right| matches!(is_right, Ok(false)))]
async fn log_in_unsafely(password: String, runs: Arc<Runs>) -> Result<bool, Rejection> {
    compare(&password, &runs).await
}

async fn compare(password: &str, runs: &Runs) -> Result<bool, Rejection> {
    runs.add();
    // All other calls start before this one ends.
    tokio::task::yield_now().await;
    Ok(password == "right")
}

/// Calls with wrong passwords at the same time. Returns how many bodies ran.
async fn guess<F>(log_in: impl Fn(String, Arc<Runs>) -> F) -> u32
where
    F: Future<Output = Result<bool, Rejection>> + Send + 'static,
{
    let runs = Arc::new(Runs::default());
    let mut calls = JoinSet::new();
    for guess in 0..GUESSES {
        let limiter = ratelimit::scope::current().unwrap();
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
        assert_eq!(guess(log_in).await, 5);
        assert!(log_in("right".to_owned(), runs).await.is_err(), "wrong ones stay charged");
    })
    .await;
}

#[tokio::test]
async fn a_charge_after_the_body_is_passed_by_the_calls_in_flight() {
    scoped(async {
        assert_eq!(guess(log_in_unsafely).await, GUESSES);
        assert_eq!(guess(log_in_unsafely).await, 0);
    })
    .await;
}

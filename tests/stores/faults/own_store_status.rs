//! The status of a limiter on a store of the application, whose failures a test controls. Tests the duration of an outage, and
//! the limits that reject their calls.

use super::status::assert_reachable;
use super::unreliable_server::DEADLINE;
use crate::harness::HUGE;
use ratelimit::store::{Adjusted, Adjustment, Decisions, Mode, Reply, Request, Store, StoreKey};
use ratelimit::{Error, ErrorKind, MemoryStore, OnError, RateLimiter, Rejection, rate_limit};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use support::SECOND;
use tokio::time::Instant;

/// A store of an application that does not implement `probe`.
#[derive(Clone, Default)]
struct OwnStore {
    silent: Arc<AtomicBool>,
    refuses_calls: Arc<AtomicBool>,
}

impl Store for OwnStore {
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
        let is_probe =
            requests.iter().all(|request| request.key().as_bytes().starts_with(b"ratelimit:{#}:probe"));
        if self.silent.load(Ordering::Relaxed) {
            return Reply::pending(std::future::pending());
        }
        if self.refuses_calls.load(Ordering::Relaxed) && !is_probe {
            return Reply::ready(Err(Error::new(ErrorKind::Unavailable, "no calls")));
        }
        MemoryStore::new().decide(mode, requests)
    }

    fn adjust(&self, _: &[Adjustment]) -> Reply<Adjusted> {
        Reply::ready(Ok(Adjusted::default()))
    }

    fn reset(&self, _: &[StoreKey]) -> Reply<u64> {
        Reply::ready(Ok(0))
    }
}

#[tokio::test(start_paused = true)]
async fn a_status_takes_one_deadline_and_says_since_when() {
    let store = OwnStore::default();
    let limiter = RateLimiter::builder().store(store.clone()).deadline(DEADLINE).connect().await.unwrap();
    assert_reachable(&limiter.status().await);
    store.silent.store(true, Ordering::Relaxed);
    let start = Instant::now();
    let status = limiter.status().await;
    assert_eq!((start.elapsed(), status.error_kind()), (DEADLINE, Some(ErrorKind::Timeout)));
    assert_eq!(status.unreachable_for(), Some(Duration::ZERO));
    tokio::time::advance(10 * SECOND).await;
    let status = limiter.status().await;
    assert_eq!(status.unreachable_for(), Some(10 * SECOND + DEADLINE));
    assert!(
        status.to_string().starts_with("the store is unreachable, for 10 s (no reply in time)"),
        "{status}"
    );
    store.silent.store(false, Ordering::Relaxed);
    assert!(limiter.status().await.is_reachable());
    tokio::time::advance(10 * SECOND).await;
    assert_reachable(&limiter.status().await);
    store.silent.store(true, Ordering::Relaxed);
    assert_eq!(limiter.status().await.unreachable_for(), Some(Duration::ZERO), "another outage");
}

#[tokio::test(start_paused = true)]
async fn calls_that_fail_show_in_the_status_for_a_second() {
    let store = OwnStore::default();
    let limiter =
        RateLimiter::builder().store(store.clone()).on_error(OnError::Allow).connect().await.unwrap();
    store.refuses_calls.store(true, Ordering::Relaxed);
    limiter.check(&HUGE, "calls").await.unwrap();
    let status = limiter.status().await;
    assert!(status.is_reachable() && status.fallback() == Some(OnError::Allow), "{status}");
    assert!(status.to_string().contains("calls of the last second failed: calls pass undecided"), "{status}");
    tokio::time::advance(SECOND).await;
    assert_eq!(limiter.status().await.fallback(), None);
}

#[rate_limit(key = "status_login", time = "1m", count = 5, on_error = "deny")]
async fn login() -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "status_search", time = "1m", count = 5)]
async fn search() -> Result<(), Rejection> {
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_ready_status_names_the_limits_that_reject_their_calls() {
    let store = OwnStore::default();
    let limiter = RateLimiter::builder().store(store.clone()).connect().await.unwrap();
    let calls = async || {
        ratelimit::scope(limiter.clone(), async { (login().await.is_ok(), search().await.is_ok()) }).await
    };
    assert_eq!(calls().await, (true, true));
    assert!(limiter.status().await.denied_limits().is_empty(), "the store is available");
    store.refuses_calls.store(true, Ordering::Relaxed);
    assert_eq!(calls().await, (false, true));
    let status = limiter.status().await;
    assert!(status.is_ready() && status.denied_limits() == ["status_login"], "{status:?}");
    assert!(status.to_string().ends_with("decides instead; 1 limit rejects its calls"), "{status}");
    tokio::time::advance(SECOND).await;
    assert!(limiter.status().await.denied_limits().is_empty());
    let denying = limiter.with_on_error(OnError::Deny);
    store.silent.store(true, Ordering::Relaxed);
    let status = denying.status().await;
    assert!(!status.is_ready() && status.to_string().ends_with("calls are rejected"), "{status}");
}

//! Returns of permits that overtake the requests for the permits, and returns that fail.

use ratelimit::store::{Adjusted, Adjustment, Change, Decisions, Mode, Reply, Request, Store, StoreKey};
use ratelimit::{Error, ErrorKind, Limit, MemoryStore, OnError, RateLimiter};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::{HOUR, MS, SECOND};

/// The permits have leases that do not end while a test runs.
const PERMITS: Limit = Limit::concurrency(36, HOUR);
const KEY: &str = "exports";

/// A store that never replies, and executes requests only when the test says so. A return can therefore overtake a request, as
/// on a new connection. The first returns fail.
#[derive(Clone, Default)]
struct Overtaken {
    store: Arc<MemoryStore>,
    late: Arc<Mutex<Vec<(Mode, Request)>>>,
    failing: Arc<AtomicU32>,
}

impl Overtaken {
    async fn limiter(&self) -> RateLimiter {
        let builder = RateLimiter::builder().store(self.clone()).on_error(OnError::Deny).deadline(SECOND);
        builder.connect().await.unwrap()
    }

    /// Executes the requests that have arrived.
    async fn execute(&self) {
        let late = self.late.lock().unwrap().clone();
        for (mode, request) in late {
            let _ = self.store.decide(mode, &[&request]).await.unwrap();
        }
    }
}

impl Store for Overtaken {
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
        if mode == Mode::Peek {
            return self.store.decide(mode, requests);
        }
        self.late.lock().unwrap().extend(requests.iter().map(|request| (mode, Request::clone(request))));
        Reply::pending(std::future::pending())
    }

    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        let fails =
            self.failing.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        let (store, adjustments) = (Arc::clone(&self.store), adjustments.to_vec());
        Reply::pending(async move {
            match fails {
                Ok(_) => Err(Error::new(ErrorKind::Unavailable, "unavailable")),
                Err(_) => store.adjust(&adjustments).await,
            }
        })
    }

    fn reset(&self, keys: &[StoreKey]) -> Reply<u64> {
        self.store.reset(keys)
    }
}

async fn free(limiter: &RateLimiter, limit: &Limit) -> u32 {
    limiter.peek(limit, KEY).await.unwrap().remaining()
}

#[tokio::test(start_paused = true)]
async fn a_permit_that_is_taken_after_its_return_is_returned_again() {
    for late_by in [Duration::ZERO, 150 * MS, SECOND, 20 * SECOND] {
        let store = Overtaken::default();
        let limiter = store.limiter().await;
        assert!(limiter.permit(&PERMITS, KEY).await.is_err());
        tokio::time::sleep(late_by).await;
        store.execute().await;
        assert_eq!(free(&limiter, &PERMITS).await, 35);
        tokio::time::sleep(late_by + 400 * MS).await;
        assert_eq!(free(&limiter, &PERMITS).await, 36, "late by {late_by:?}");
    }
}

/// The first return finds the ticket. It must not be the last return, because the request for the permit is still in flight.
#[tokio::test(start_paused = true)]
async fn a_permit_that_is_taken_after_the_return_of_its_ticket_is_returned_again() {
    let (store, limit) = (Overtaken::default(), PERMITS.wait(HOUR));
    let limiter = store.limiter().await;
    assert!(limiter.permit(&limit, KEY).await.is_err());
    let request = store.late.lock().unwrap()[0].1.clone();
    let all = Request::new(request.key().clone(), limit, 36).with_permit(2);
    assert!(store.store.decide(Mode::Charge, &[&all]).await.unwrap()[0].is_allowed());
    store.execute().await;
    tokio::time::sleep(400 * MS).await;
    let give = Adjustment::new(all.key().clone(), limit, 36, Change::Give(2));
    let _ = store.store.adjust(&[give]).await.unwrap();
    assert_eq!(free(&limiter, &limit).await, 36, "the ticket is gone");
    store.execute().await;
    assert_eq!(free(&limiter, &limit).await, 35);
    tokio::time::sleep(SECOND).await;
    assert_eq!(free(&limiter, &limit).await, 36);
}

#[tokio::test(start_paused = true)]
async fn close_waits_for_the_return_of_lost_permits() {
    let store = Overtaken::default();
    let limiter = store.limiter().await;
    store.failing.store(10, Ordering::Relaxed);
    assert!(limiter.permit(&PERMITS, KEY).await.is_err());
    store.execute().await;
    limiter.close().await;
    assert_eq!(free(&limiter, &PERMITS).await, 36);
}

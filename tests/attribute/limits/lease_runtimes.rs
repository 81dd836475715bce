//! `lease` in a process with several runtimes.

use super::lease::LIMIT;
use crate::harness::limiter;
use ratelimit::store::{Adjusted, Adjustment, Decisions, Mode, Reply, Request, Store, StoreKey};
use std::sync::{Arc, Mutex};

/// Records the cost of each charge, and never replies.
#[derive(Clone, Default)]
struct SilentStore(Arc<Mutex<Vec<u32>>>);

impl Store for SilentStore {
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
        // A fetch of a lease uses mode `Charge`, so that unused units can be returned. A call that requests its own units
        // uses mode `Check`.
        if mode == Mode::Charge {
            self.0.lock().unwrap().extend(requests.iter().map(|request| request.cost()));
        }
        Reply::pending(std::future::pending())
    }

    fn adjust(&self, _: &[Adjustment]) -> Reply<Adjusted> {
        Reply::pending(std::future::pending())
    }

    fn reset(&self, _: &[StoreKey]) -> Reply<u64> {
        Reply::pending(std::future::pending())
    }
}

#[test]
fn all_runtimes_together_fetch_at_most_one_lease() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (store, runtimes) = (SilentStore::default(), [runtime(), runtime(), runtime()]);
    let limiter = runtimes[0].block_on(limiter(store.clone()));
    for runtime in &runtimes {
        runtime.block_on(async {
            for _ in 0..50 {
                let limiter = limiter.clone();
                tokio::spawn(async move { drop(limiter.check(&LIMIT, "k").await) });
            }
            for _ in 0..10 {
                tokio::task::yield_now().await;
            }
        });
    }
    let fetched = store.0.lock().unwrap().clone();
    assert!(fetched.len() > 1 && fetched.iter().sum::<u32>() <= 16, "{fetched:?}");
}

//! What this process has on lease, by key.

use super::held::Lease;
use crate::store::Request;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Mutex as Turns, MutexGuard};

/// So many keys may have units on lease; the calls of others ask the store.
const MOST_KEYS: usize = 10_000;

/// The leases of a limiter.
#[derive(Default)]
pub(in super::super) struct OnLease(Mutex<Table>);

#[derive(Default)]
struct Table {
    leases: HashMap<Vec<u8>, Arc<Shared>>,
    returning: bool,
}

/// The lease of a key, and how many units are waited for, while somebody takes more from the store.
pub(super) struct Shared {
    pub(super) lease: Turns<Lease>,
    waiting: AtomicU32,
}

impl Shared {
    /// How many units the calls that wait would use.
    pub(super) fn waiting(&self) -> u32 {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Waits for its turn, and says meanwhile that it does.
    pub(super) async fn turn(&self, cost: u32) -> MutexGuard<'_, Lease> {
        self.waiting.fetch_add(cost, Ordering::Relaxed);
        let _waits = Waits { shared: self, cost };
        self.lease.lock().await
    }
}

struct Waits<'s> {
    shared: &'s Shared,
    cost: u32,
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.shared.waiting.fetch_sub(self.cost, Ordering::Relaxed);
    }
}

impl OnLease {
    fn with<T>(&self, act: impl FnOnce(&mut Table) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The lease of a key, if there is room for one.
    pub(super) fn of(&self, request: &Request<'_>) -> Option<Arc<Shared>> {
        let key = request.key().as_bytes();
        self.with(|table| {
            if let Some(lease) = table.leases.get(key) {
                return Some(Arc::clone(lease));
            }
            let lease = Turns::new(Lease::new(*request.limit()));
            let lease = Arc::new(Shared { lease, waiting: AtomicU32::new(0) });
            let room = table.leases.len() < MOST_KEYS;
            room.then(|| table.leases.insert(key.to_vec(), Arc::clone(&lease)));
            room.then_some(lease)
        })
    }

    /// Forgets what is on lease of a key: its state in the store is another one now.
    pub(in super::super) fn forget(&self, key: &[u8]) {
        self.with(|table| table.leases.remove(key));
    }

    pub(super) fn all(&self) -> Vec<(Vec<u8>, Arc<Shared>)> {
        self.with(|table| table.leases.iter().map(|(key, lease)| (key.clone(), Arc::clone(lease))).collect())
    }

    /// Whether nobody gives back what is not used; from now on the caller does.
    pub(super) fn starts_returning(&self) -> bool {
        self.with(|table| !std::mem::replace(&mut table.returning, true))
    }

    pub(super) fn stops_returning(&self) {
        self.with(|table| table.returning = false);
    }

    /// Whether there is something to return; if not, the duty is done.
    pub(super) fn goes_on_returning(&self) -> bool {
        self.with(|table| {
            table.returning = !table.leases.is_empty();
            table.returning
        })
    }
}

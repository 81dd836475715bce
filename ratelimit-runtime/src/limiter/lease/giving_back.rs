//! Units that nobody has used go back: when they are outdated, and when the limiter is closed.

use super::super::decide::Source;
use super::super::{RateLimiter, Shared};
use super::held::{IDLE, Unused};
use crate::key::StoreKey;
use crate::limit::Limit;
use crate::store::{Adjustment, Change};
use std::sync::{Arc, Weak};

impl RateLimiter {
    pub(super) fn give_lease_back(&self, key: &[u8], limit: &Limit, unused: Option<Unused>) {
        if let Some(Unused { units, stamp }) = unused.filter(|unused| unused.stamp > 0) {
            let give = Adjustment::new(StoreKey::new(key), limit, units, Change::Give(stamp));
            self.shared.background.run(self.adjust(Source::Store, &[give]), |_| {});
        }
    }

    /// Gives all units back that are on lease.
    pub(in super::super) async fn give_leases_back(&self) {
        for (key, shared) in self.shared.on_lease.all() {
            let mut lease = shared.lease.lock().await;
            let unused = lease.give_up();
            self.give_lease_back(&key, &lease.limit, unused);
        }
    }

    /// Starts the task that gives unused units back, if there is none.
    pub(super) fn return_unused_units(&self) {
        if let Ok(runtime) = tokio::runtime::Handle::try_current()
            && self.shared.on_lease.starts_returning()
        {
            runtime.spawn(return_unused(Returner(Arc::downgrade(&self.shared))));
        }
    }

    /// Gives back what is outdated, and forgets keys that nobody calls; answers whether something is left.
    fn return_outdated(&self) -> bool {
        for (key, shared) in self.shared.on_lease.all() {
            // One that is locked is in use.
            let Ok(mut lease) = shared.lease.try_lock() else { continue };
            let outdated = lease.outdated();
            self.give_lease_back(&key, &lease.limit, outdated);
            if lease.is_idle() {
                self.shared.on_lease.forget(&key);
            }
        }
        self.shared.on_lease.goes_on_returning()
    }
}

/// Says so when its task ends, also with its runtime: then the next lease starts another.
struct Returner(Weak<Shared>);

impl Drop for Returner {
    fn drop(&mut self) {
        if let Some(shared) = self.0.upgrade() {
            shared.on_lease.stops_returning();
        }
    }
}

async fn return_unused(returner: Returner) {
    loop {
        tokio::time::sleep(IDLE / 4).await;
        let Some(limiter) = returner.0.upgrade().map(RateLimiter::of) else { return };
        if !limiter.return_outdated() {
            return;
        }
    }
}

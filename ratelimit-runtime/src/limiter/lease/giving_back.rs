//! Units that nobody has used go back: when they are outdated, and when the limiter is closed.

use super::super::decide::Source;
use super::super::{RateLimiter, Shared};
use super::held::Unused;
use crate::key::StoreKey;
use crate::limit::Limit;
use crate::store::{Adjustment, Change};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// Time from one look at what is outdated to the next.
const BETWEEN: Duration = Duration::from_millis(250);

impl RateLimiter {
    pub(super) fn give_lease_back(&self, key: &[u8], limit: &Limit, unused: Vec<Unused>) {
        for Unused { units, stamp } in unused.into_iter().filter(|unused| unused.stamp > 0) {
            let give = Adjustment::new(StoreKey::new(key), limit, units, Change::Give(stamp));
            self.shared.background.run(self.adjust(Source::Store, &[give]), |_| {});
        }
    }

    /// Gives all units back that are on lease.
    pub(in super::super) fn give_leases_back(&self) {
        for (key, lease) in self.shared.on_lease.all() {
            let (limit, unused) = {
                let mut state = lease.lock();
                let limit = state.lease.limit;
                (limit, state.restart(limit))
            };
            self.give_lease_back(&key, &limit, unused);
        }
    }

    /// Starts the task that gives unused units back, if there is none.
    pub(super) fn return_unused_units(&self) {
        if let Ok(runtime) = tokio::runtime::Handle::try_current()
            && let Some(task) = self.shared.on_lease.heartbeat.take_over(BETWEEN)
        {
            runtime.spawn(return_unused(Returner { limiter: Arc::downgrade(&self.shared), task }));
        }
    }

    /// Gives back what is outdated, and forgets keys that nobody calls; answers whether something is left.
    fn return_outdated(&self) -> bool {
        for (key, lease) in self.shared.on_lease.all() {
            let (limit, outdated) = {
                let mut state = lease.lock();
                (state.lease.limit, state.lease.outdated())
            };
            drop(lease);
            self.give_lease_back(&key, &limit, outdated);
            self.shared.on_lease.forget_if_idle(&key);
        }
        !self.shared.on_lease.is_empty()
    }
}

/// Says so when its task ends, also with its runtime: then the next lease starts another.
struct Returner {
    limiter: Weak<Shared>,
    task: u64,
}

impl Drop for Returner {
    fn drop(&mut self) {
        if let Some(shared) = self.limiter.upgrade() {
            shared.on_lease.heartbeat.stop(self.task);
        }
    }
}

async fn return_unused(returner: Returner) {
    loop {
        tokio::time::sleep(BETWEEN).await;
        let Some(limiter) = returner.limiter.upgrade().map(RateLimiter::of) else { return };
        if !limiter.shared.on_lease.heartbeat.beat(returner.task, BETWEEN) || !limiter.return_outdated() {
            return;
        }
    }
}

//! Returns leased units that were not used: when they are outdated, and when the limiter is closed.

use super::super::RateLimiter;
use super::super::decided::Source;
use super::super::single_task::InCharge;
use super::key_lease::KeyLease;
use super::units::Unused;
use crate::limit::Limit;
use crate::store::{Adjustment, Change, StoreKey};
use std::time::Duration;

/// The time between two searches for outdated units.
const BETWEEN: Duration = Duration::from_millis(250);

impl RateLimiter {
    pub(super) fn return_units(&self, key: &StoreKey, limit: &Limit, unused: Vec<Unused>) {
        for Unused { units, stamp } in unused.into_iter().filter(|unused| unused.stamp > 0) {
            let give = Adjustment::new(key.clone(), *limit, units, Change::Give(stamp));
            self.shared.tasks.run(self.adjust(Source::Store, &[give]), |_| {});
        }
    }

    /// Returns all leased units.
    pub(in super::super) fn return_leases(&self) {
        for lease in self.shared.leases.all() {
            let (limit, unused) = {
                let mut state = lease.lock();
                let limit = state.units.limit;
                (limit, state.restart(limit))
            };
            self.return_units(&lease.key, &limit, unused);
        }
        self.measure_leases();
    }

    /// Measures the units that no call has used yet.
    fn measure_leases(&self) {
        let unused = |lease: &KeyLease| u64::from(lease.lock().units.unused());
        self.shared.leased_units.set(|| self.shared.leases.all().iter().map(|lease| unused(lease)).sum());
    }

    /// Starts the task that returns unused units, if it is not running.
    pub(super) fn start_returning(&self) {
        let leases = &self.shared.leases;
        leases.returning.start(self, |shared| &shared.leases.returning, BETWEEN, run_returning);
    }

    /// Returns outdated units to the store, and forgets keys without calls. Returns whether a key is left.
    fn return_outdated(&self) -> bool {
        for lease in self.shared.leases.all() {
            let (limit, outdated) = {
                let mut state = lease.lock();
                (state.units.limit, state.units.outdated())
            };
            self.return_units(&lease.key, &limit, outdated);
        }
        self.shared.leases.forget_idle();
        self.measure_leases();
        !self.shared.leases.is_empty()
    }
}

async fn run_returning(task: InCharge) {
    loop {
        tokio::time::sleep(BETWEEN).await;
        let Some(limiter) = task.limiter() else { return };
        task.beat(&limiter, BETWEEN);
        if !limiter.return_outdated() {
            return;
        }
    }
}

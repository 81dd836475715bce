//! Returns unused leased units: when they are outdated, and when the limiter is closed.

use crate::decision::Source;
use crate::limiter::RateLimiter;
use crate::limiter::single_task::InCharge;
use crate::store::{Adjustment, StoreKey};
use std::time::Duration;

/// The time between two searches for outdated units.
const BETWEEN: Duration = Duration::from_millis(250);

impl RateLimiter {
    pub(super) fn return_units(&self, returned: impl IntoIterator<Item = Adjustment>) {
        for give in returned {
            self.adjust(Source::Store, &[give]).in_background(&self.shared.tasks, drop);
        }
    }

    /// Returns the leased units of a key, so that its next call asks the store.
    pub(in crate::limiter) fn return_leases_of(&self, key: &StoreKey) {
        self.return_units(self.shared.leases.take_back(key));
    }

    /// Returns all leased units.
    pub(in crate::limiter) fn return_leases(&self) {
        let leases = &self.shared.leases;
        let now = leases.now();
        self.return_units(leases.collect(|lease| lease.restart(lease.units.limit, now)));
        self.measure_leases();
    }

    /// Reports how many leased units no call has used yet.
    fn measure_leases(&self) {
        let unused =
            || self.shared.leases.collect(|lease| Some(u64::from(lease.units.unused()))).iter().sum();
        self.shared.leases.gauge.set(unused);
    }

    /// Starts the task that returns unused units, if it is not running.
    pub(super) fn start_returning(&self) {
        let leases = &self.shared.leases;
        leases.returning.start(self, |shared| &shared.leases.returning, BETWEEN, run_returning);
    }
}

/// Returns outdated units to the store, and removes leases that no call uses, until no lease is left.
async fn run_returning(task: InCharge) {
    loop {
        tokio::time::sleep(BETWEEN).await;
        let Some(limiter) = task.limiter() else { return };
        task.beat(&limiter, BETWEEN);
        let leases = &limiter.shared.leases;
        let now = leases.now();
        limiter.return_units(leases.collect(|lease| lease.remove(|units| units.outdated(now))));
        let any_left = leases.forget_idle();
        limiter.measure_leases();
        if !any_left {
            return;
        }
    }
}

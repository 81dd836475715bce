//! Returns unused leased units: when they are outdated, and when the limiter is closed.

use super::Leases;
use crate::limiter::single_task::InCharge;
use crate::store::{Adjustment, StoreKey};
use std::sync::Arc;
use std::time::Duration;

/// The time between two searches for outdated units.
const BETWEEN: Duration = Duration::from_millis(250);

impl Leases {
    pub(super) fn return_units(&self, returned: impl IntoIterator<Item = Adjustment>) {
        for give in returned {
            self.adjust(&[give]).in_background(&self.tasks, drop);
        }
    }

    /// Returns the leased units of a key, so that its next call asks the store.
    pub(in crate::limiter) fn return_of(&self, key: &StoreKey) {
        self.return_units(self.take_back(key));
    }

    /// Returns all leased units.
    pub(in crate::limiter) fn return_all(&self) {
        let now = self.now();
        self.return_units(self.collect(|lease| lease.restart(lease.units.limit, now)));
        self.measure();
    }

    /// Reports how many leased units no call has used yet.
    fn measure(&self) {
        let unused = || self.collect(|lease| Some(u64::from(lease.units.unused()))).iter().sum();
        self.gauge.set(unused);
    }

    /// Starts the task that returns unused units, if it is not running.
    pub(super) fn start_returning(self: &Arc<Self>) {
        self.returning.start(self, |leases| &leases.returning, BETWEEN, run_returning);
    }
}

/// Returns outdated units to the store, and removes leases that no call uses, until no lease is left.
async fn run_returning(task: InCharge<Leases>) {
    loop {
        tokio::time::sleep(BETWEEN).await;
        let Some(leases) = task.owner() else { return };
        task.beat(&leases, BETWEEN);
        let now = leases.now();
        leases.return_units(leases.collect(|lease| lease.remove(|units| units.outdated(now))));
        let any_left = leases.forget_idle();
        leases.measure();
        if !any_left {
            return;
        }
    }
}

//! Lost permits: a renewal has found no permit in the store, or the lease has ended and no renewal was confirmed. The holder is
//! told. Each lost permit is counted and logged once.

use super::Permits;
use super::taken::{PermitId, Stage, Table};
use crate::clock::timer;
use crate::decision::Source;
use crate::observe::report::lost_permits;
use crate::store::{Adjustment, Change, Request};
use std::collections::BTreeMap;
use std::future::pending;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// If a task looks at the end of a lease later than this, its runtime was busy or the process was stopped. A reply to a renewal
/// may then have arrived that nobody has read yet.
const LATE: Duration = Duration::from_millis(5);
/// A late task looks again after this time.
const SECOND_LOOK_AFTER: Duration = Duration::from_millis(10);

/// The numbers of permits that were lost, by the name of their limit.
type Losses = BTreeMap<&'static str, u64>;

impl Permits {
    /// Whether a holder no longer has its permit, or its lease has ended and no renewal was confirmed yet.
    pub(in crate::limiter) fn is_lost(&self, source: Source, request: &Request) -> bool {
        source != Source::Nobody
            && !self.with(|table| {
                let permit = table.permits.get(&(source, request.permit()));
                permit.is_some_and(|permit| permit.is_held() && Instant::now() < permit.ends)
            })
    }

    /// Waits until the holder no longer has its permit. Without timers, the end of the lease is not watched.
    pub(in crate::limiter) async fn lost(&self, source: Source, request: &Request) {
        if source == Source::Nobody {
            return pending().await;
        }
        let id = (source, request.permit());
        while let Some((ends, mut told)) = self.with(|table| table.watch(id)) {
            let left = ends.saturating_duration_since(Instant::now());
            match timer::timeout(left, told.changed()).await {
                Ok(Some(_)) => {}
                Ok(None) => {
                    if ends.elapsed() > LATE {
                        let _ = timer::sleep(SECOND_LOOK_AFTER).await;
                    }
                    self.unconfirmed([id].into_iter());
                }
                Err(_) => drop(told.changed().await),
            }
        }
    }

    /// Notes the reply to a request that was sent at `sent`. The request has renewed or returned permits, and `units` has the
    /// result of each change.
    pub(super) fn done(&self, source: Source, changes: &[Adjustment], units: &[u32], sent: Instant) {
        let mut losses = Losses::new();
        self.with(|table| {
            for (change, units) in changes.iter().zip(units) {
                match change.change() {
                    Change::Give(id) => table.returned((source, id), *units),
                    Change::Renew(id) => {
                        if let Some(name) = table.renewed((source, id), *units, sent) {
                            *losses.entry(name).or_default() += 1;
                        }
                    }
                    _ => {}
                }
            }
        });
        report(losses);
    }

    /// Notes that these changes may not have been made, because no reply has arrived or the store has failed.
    pub(super) fn not_done(&self, source: Source, changes: &[Adjustment]) {
        self.unconfirmed(changes.iter().filter_map(|change| match change.change() {
            Change::Renew(id) => Some((source, id)),
            _ => None,
        }));
    }

    /// Those of these permits are lost whose leases have ended.
    fn unconfirmed(&self, ids: impl Iterator<Item = PermitId>) {
        let (now, mut losses) = (Instant::now(), Losses::new());
        self.with(|table| {
            for id in ids {
                if let Some(permit) = table.permits.get_mut(&id)
                    && permit.is_held()
                    && permit.ends <= now
                {
                    (permit.is_lost, permit.holder) = (true, None);
                    *losses.entry(permit.shown_name).or_default() += 1;
                }
            }
        });
        report(losses);
    }
}

impl Table {
    /// Returns the end of a permit's lease, and a receiver whose sender is dropped when the holder no longer has the permit.
    /// `None` if the holder has no permit.
    fn watch(&mut self, id: PermitId) -> Option<(Instant, watch::Receiver<()>)> {
        let permit = self.permits.get_mut(&id).filter(|permit| permit.is_held())?;
        let told = permit.holder.get_or_insert_with(|| watch::Sender::new(()));
        Some((permit.ends, told.subscribe()))
    }

    /// Notes that a renewal that was sent at `sent` has found this many units. If it has not found the permit, forgets the
    /// permit. Returns the name of its limit, unless the loss of this permit was reported before.
    fn renewed(&mut self, id: PermitId, units: u32, sent: Instant) -> Option<&'static str> {
        let permit = self.permits.get_mut(&id).filter(|permit| permit.stage == Stage::Held)?;
        if units >= permit.request.cost() {
            permit.renewed(sent);
            return None;
        }
        let permit = self.permits.remove(&id)?;
        permit.is_held().then_some(permit.shown_name)
    }
}

/// Counts and logs lost permits, outside of the table's lock.
fn report(losses: Losses) {
    for (name, permits) in losses {
        lost_permits(name, permits);
    }
}

//! `Table`: the permits that a limiter holds or returns, and the tasks that renew them.

use super::taken::{Stage, TakenPermit};
use crate::decision::Source;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tokio::runtime::Id;
use tokio::sync::Notify;
use tokio::time::Instant;

/// The most permits of calls without a reply that are remembered. A further one pushes out the oldest, which is then free
/// when its lease ends.
pub(super) const MOST_LOST: usize = 16_384;
/// By source and id, because a permit of the store and a permit of the local memory may have the same id.
pub(super) type PermitId = (Source, u64);

#[derive(Default)]
pub(super) struct Table {
    /// In the order of their ids, so that a simulation sends the same requests each time.
    pub(super) permits: BTreeMap<PermitId, TakenPermit>,
    /// The permits that were lost, the oldest first. Some may have been returned meanwhile.
    pub(super) lost: VecDeque<PermitId>,
    /// The renewing tasks, at most one for each runtime.
    pub(super) renewers: Vec<Sleeping>,
}

/// The renewing task of a runtime.
pub(super) struct Sleeping {
    pub(super) runtime: Id,
    /// When the task wakes by itself.
    pub(super) until: Instant,
    pub(super) woken: Arc<Notify>,
}

impl Table {
    pub(super) fn insert(&mut self, id: PermitId, permit: TakenPermit) {
        if permit.stage() == Stage::Lost {
            self.lost.push_back(id);
            if self.lost.len() > MOST_LOST
                && let Some(oldest) = self.lost.pop_front()
            {
                self.permits.remove(&oldest);
            }
        }
        self.permits.insert(id, permit);
    }

    /// Notes that a return has found this many units.
    pub(super) fn returned(&mut self, id: PermitId, units: u32) {
        if self.permits.get_mut(&id).is_some_and(|permit| permit.returned(units)) {
            self.permits.remove(&id);
        }
    }

    /// Notes that a return has failed.
    pub(super) fn failed(&mut self, id: PermitId) {
        if let Some(permit) = self.permits.get_mut(&id) {
            permit.failed();
        }
    }
}

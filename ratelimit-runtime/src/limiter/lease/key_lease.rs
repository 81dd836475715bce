//! `KeyLease`: the lease of one key, with the fetches under way and the calls that concern it.

use super::units::{LeasedUnits, Unused};
use crate::decision::Decision;
use crate::error::Error;
use crate::limit::Limit;
use crate::store::{Awaited, MissedDeadline, Request, StoreKey};
use parking_lot::{Mutex, MutexGuard};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::runtime::Id;
use tokio::sync::watch;
use tokio::time::Instant;

/// The lease of one key, and the calls and fetches that concern it.
pub(super) struct KeyLease {
    pub(super) key: StoreKey,
    state: Mutex<State>,
    /// The units that the waiting calls need.
    waiting_units: AtomicU32,
    /// The number of calls whose own requests are under way.
    own_requests: AtomicU32,
}

pub(super) struct State {
    pub(super) units: LeasedUnits,
    /// The number of restarts. Units that were requested before the last one are returned on arrival.
    pub(super) epoch: u64,
    /// The fetches under way. Each runtime has at most one, and its calls wait only for that one.
    fetches: SmallVec<[(Id, Arc<FetchUnderWay>); 1]>,
}

/// A fetch, as seen by the calls that wait for it.
pub(super) struct FetchUnderWay {
    pub(super) state: watch::Receiver<FetchState>,
    /// The reply that the fetch itself waits for.
    pub(super) awaited: Awaited,
    /// The most units that it requests.
    units: u32,
    pub(super) began: Instant,
}

/// The progress of a fetch.
#[derive(Clone, Debug)]
pub(super) enum FetchState {
    UnderWay,
    /// The units are in the lease.
    Units,
    /// The store had too few units, so each call sends its own request.
    TooFew(TooFew),
    Failed(Error),
}

/// The store's refusal of a fetch.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooFew {
    pub(super) wanted: u32,
    pub(super) refusal: Decision,
}

impl KeyLease {
    pub(super) fn new(request: &Request) -> Self {
        let state = State { units: LeasedUnits::new(*request.limit()), epoch: 0, fetches: SmallVec::new() };
        Self {
            key: request.key().clone(),
            state: Mutex::new(state),
            waiting_units: AtomicU32::new(0),
            own_requests: AtomicU32::new(0),
        }
    }

    /// Hands out units to a request, if that needs no waiting.
    #[inline]
    pub(super) fn take(&self, request: &Request) -> Option<Decision> {
        let units = &mut self.state.try_lock()?.units;
        if units.limit == *request.limit() { units.take(request.cost()) } else { None }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// The units that the waiting calls need.
    pub(super) fn waiting_units(&self) -> u32 {
        self.waiting_units.load(Ordering::Relaxed)
    }

    /// Counts a waiting call that needs `units`, until the returned value is dropped.
    pub(super) fn wait_for(self: &Arc<Self>, units: u32) -> WaitingCall {
        self.waiting_units.fetch_add(units, Ordering::Relaxed);
        WaitingCall { lease: Arc::clone(self), units }
    }

    /// Whether the own request of a call is under way. Then the key has several callers.
    pub(super) fn has_own_requests(&self) -> bool {
        self.own_requests.load(Ordering::Relaxed) > 0
    }

    /// Counts a call's own request, until the returned value is dropped.
    pub(super) fn begin_own_request(self: &Arc<Self>, epoch: u64) -> OwnRequest {
        self.own_requests.fetch_add(1, Ordering::Relaxed);
        OwnRequest { lease: Arc::clone(self), epoch }
    }
}

impl State {
    /// Returns the fetch under way in a runtime.
    pub(super) fn fetch(&self, runtime: Id) -> Option<Arc<FetchUnderWay>> {
        self.fetches.iter().find(|(of, _)| *of == runtime).map(|(_, fetch)| Arc::clone(fetch))
    }

    /// Registers a fetch until `end_fetch`.
    pub(super) fn begin_fetch(
        &mut self,
        runtime: Id,
        units: u32,
    ) -> (watch::Sender<FetchState>, Arc<FetchUnderWay>) {
        let (sender, state) = watch::channel(FetchState::UnderWay);
        let under_way =
            Arc::new(FetchUnderWay { state, awaited: Awaited::default(), units, began: Instant::now() });
        self.fetches.push((runtime, Arc::clone(&under_way)));
        (sender, under_way)
    }

    /// The units that the fetches of all runtimes request.
    pub(super) fn being_fetched(&self) -> u32 {
        self.fetches.iter().fold(0, |units, (_, fetch)| units.saturating_add(fetch.units))
    }

    pub(super) fn end_fetch(&mut self, runtime: Id) {
        self.fetches.retain(|(of, _)| *of != runtime);
    }

    /// Removes all units and begins a new epoch. Units of fetches under way will be returned.
    pub(super) fn restart(&mut self, limit: Limit) -> Vec<Unused> {
        self.epoch += 1;
        let unused = self.units.remove_all();
        self.units = LeasedUnits::new(limit);
        unused
    }
}

impl MissedDeadline for FetchUnderWay {
    fn missed_deadline(&self, deadline: Duration) {
        self.awaited.missed_deadline(deadline);
    }
}

/// A call that waits for units.
pub(super) struct WaitingCall {
    lease: Arc<KeyLease>,
    units: u32,
}

impl Drop for WaitingCall {
    fn drop(&mut self) {
        self.lease.waiting_units.fetch_sub(self.units, Ordering::Relaxed);
    }
}

/// A call that requests exactly its own units.
pub(super) struct OwnRequest {
    lease: Arc<KeyLease>,
    /// The lease's epoch when the request was sent.
    pub(super) epoch: u64,
}

impl Drop for OwnRequest {
    fn drop(&mut self) {
        self.lease.own_requests.fetch_sub(1, Ordering::Relaxed);
    }
}

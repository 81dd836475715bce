//! The leases of this process, by key.

use super::super::single_task::SingleTask;
use super::fetch::Fetched;
use super::units::{Lease, Unused};
use crate::limit::Limit;
use crate::store::{Awaited, MissedDeadline, Request, StoreKey};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Id;
use tokio::sync::watch;
use tokio::time::Instant;

/// The most keys that may have units on lease; the calls of others ask the store.
const MOST_KEYS: usize = 10_000;

/// The leases of a limiter.
#[derive(Default)]
pub(in super::super) struct Leases {
    leases: Mutex<HashMap<StoreKey, Arc<KeyLease>>>,
    /// Returns unused units.
    pub(super) returning: SingleTask,
}

/// The lease of a key, and what is on its way to it.
pub(super) struct KeyLease {
    state: Mutex<State>,
    /// How many units the calls that wait would use.
    waiting: AtomicU32,
    /// How many calls ask for their own units now.
    alone: AtomicU32,
}

pub(super) struct State {
    pub(super) lease: Lease,
    /// Units that were requested under an older epoch are given back.
    pub(super) epoch: u64,
    /// The fetch under way in each runtime. A runtime has one at most, and waits for no other's.
    fetches: SmallVec<[(Id, Arc<FetchUnderWay>); 1]>,
}

/// What the calls that wait for a fetch know of it.
pub(super) struct FetchUnderWay {
    pub(super) fetched: watch::Receiver<Fetched>,
    /// What the fetch itself waits for.
    pub(super) awaited: Awaited,
    /// How many units it asks for, at most.
    units: u32,
    pub(super) began: Instant,
}

impl KeyLease {
    fn new(limit: Limit) -> Self {
        let state = State { lease: Lease::new(limit), epoch: 0, fetches: SmallVec::new() };
        Self { state: Mutex::new(state), waiting: AtomicU32::new(0), alone: AtomicU32::new(0) }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many units the calls that wait would use.
    pub(super) fn waiting(&self) -> u32 {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Counts a call among those that wait, until this is dropped.
    pub(super) fn wait_for(self: &Arc<Self>, units: u32) -> Waits {
        self.waiting.fetch_add(units, Ordering::Relaxed);
        Waits { lease: Arc::clone(self), units }
    }

    /// Whether another call asks for its own units now: the key is in demand.
    pub(super) fn is_asked_for(&self) -> bool {
        self.alone.load(Ordering::Relaxed) > 0
    }

    /// Counts a call among those that ask for their own units, until this is dropped.
    pub(super) fn ask_alone(self: &Arc<Self>, epoch: u64) -> Alone {
        self.alone.fetch_add(1, Ordering::Relaxed);
        Alone { lease: Arc::clone(self), epoch }
    }
}

impl State {
    /// The fetch under way in a runtime.
    pub(super) fn fetch(&self, runtime: Id) -> Option<Arc<FetchUnderWay>> {
        self.fetches.iter().find(|(of, _)| *of == runtime).map(|(_, fetch)| Arc::clone(fetch))
    }

    /// Registers a fetch, until `end_fetch`.
    pub(super) fn begin_fetch(
        &mut self,
        runtime: Id,
        units: u32,
    ) -> (watch::Sender<Fetched>, Arc<FetchUnderWay>) {
        let (sender, fetched) = watch::channel(Fetched::UnderWay);
        let under_way =
            Arc::new(FetchUnderWay { fetched, awaited: Awaited::default(), units, began: Instant::now() });
        self.fetches.push((runtime, Arc::clone(&under_way)));
        (sender, under_way)
    }

    /// How many units are on their way, in all runtimes.
    pub(super) fn on_the_way(&self) -> u32 {
        self.fetches.iter().fold(0, |units, (_, fetch)| units.saturating_add(fetch.units))
    }

    pub(super) fn end_fetch(&mut self, runtime: Id) {
        self.fetches.retain(|(of, _)| *of != runtime);
    }

    /// Empties the lease. Units that are on their way will be given back.
    pub(super) fn restart(&mut self, limit: Limit) -> Vec<Unused> {
        self.epoch += 1;
        let unused = self.lease.give_up();
        self.lease = Lease::new(limit);
        unused
    }
}

impl MissedDeadline for FetchUnderWay {
    fn missed_deadline(&self, deadline: Duration) {
        self.awaited.missed_deadline(deadline);
    }
}

/// A call that waits for units.
pub(super) struct Waits {
    lease: Arc<KeyLease>,
    units: u32,
}

impl Drop for Waits {
    fn drop(&mut self) {
        self.lease.waiting.fetch_sub(self.units, Ordering::Relaxed);
    }
}

/// A call that asks for its own units.
pub(super) struct Alone {
    lease: Arc<KeyLease>,
    /// The lease's epoch when it asked.
    pub(super) epoch: u64,
}

impl Drop for Alone {
    fn drop(&mut self) {
        self.lease.alone.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Leases {
    fn with<T>(&self, act: impl FnOnce(&mut HashMap<StoreKey, Arc<KeyLease>>) -> T) -> T {
        act(&mut self.leases.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The lease of a key, if there is room for one.
    pub(super) fn of(&self, request: &Request) -> Option<Arc<KeyLease>> {
        self.with(|leases| {
            if let Some(lease) = leases.get(request.key()) {
                return Some(Arc::clone(lease));
            }
            if leases.len() >= MOST_KEYS {
                return None;
            }
            let lease = Arc::new(KeyLease::new(*request.limit()));
            leases.insert(request.key().clone(), Arc::clone(&lease));
            Some(lease)
        })
    }

    /// Forgets the units of a key: its state in the store is another one now.
    pub(in super::super) fn forget(&self, key: &StoreKey) {
        if let Some(lease) = self.with(|leases| leases.get(key).map(Arc::clone)) {
            let mut state = lease.lock();
            let limit = state.lease.limit;
            state.restart(limit);
        }
    }

    /// Forgets a key that nobody uses.
    pub(super) fn forget_if_idle(&self, key: &StoreKey) {
        self.with(|leases| {
            // Nobody can come by another reference while the table is locked.
            if leases
                .get(key)
                .is_some_and(|lease| Arc::strong_count(lease) == 1 && lease.lock().lease.is_idle())
            {
                leases.remove(key);
            }
        });
    }

    pub(super) fn all(&self) -> Vec<(StoreKey, Arc<KeyLease>)> {
        self.with(|leases| leases.iter().map(|(key, lease)| (key.clone(), Arc::clone(lease))).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.with(|leases| leases.is_empty())
    }
}

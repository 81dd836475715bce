//! `PermitWaiters`: the calls of this process that wait for a permit. A returned permit wakes the first waiting call of its key.

use crate::store::StoreKey;
use parking_lot::Mutex;
use smallvec::SmallVec;
use std::collections::{BTreeMap, HashMap};
use std::pin::pin;
use std::sync::Arc;
use tokio::sync::Notify;

/// At most this many calls of a process wait under one key. Each waiting call asks the store about ten times a second, and keeps
/// the connection of its client open.
const MOST_WAITING: usize = 1000;

#[derive(Clone, Default)]
pub(crate) struct PermitWaiters(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    next: u64,
    /// The waiting calls of each key, in order of arrival.
    waiting: HashMap<Box<[u8]>, BTreeMap<u64, Arc<Notify>>>,
}

impl PermitWaiters {
    /// Registers a call that waits for permits under these keys, behind all calls that already wait. `None` if too many calls
    /// wait under one of the keys.
    pub(crate) fn wait_for<'k>(&self, keys: impl Iterator<Item = &'k StoreKey>) -> Option<PermitWaiter> {
        let keys: SmallVec<[Box<[u8]>; 1]> = keys.map(|key| key.as_bytes().into()).collect();
        let woken = Arc::new(Notify::new());
        let mut state = self.0.lock();
        let is_full = |key| state.waiting.get(key).is_some_and(|waiting| waiting.len() >= MOST_WAITING);
        if keys.iter().any(is_full) {
            return None;
        }
        state.next += 1;
        let place = state.next;
        for key in &keys {
            state.waiting.entry(key.clone()).or_default().insert(place, Arc::clone(&woken));
        }
        Some(PermitWaiter { waiters: self.clone(), keys, place, woken, pass_on: false })
    }

    /// Wakes the first call that waits for a permit under this key.
    pub(crate) fn wake(&self, key: &StoreKey) {
        self.0.lock().wake(key.as_bytes());
    }
}

impl State {
    fn wake(&self, key: &[u8]) {
        if let Some((_, first)) = self.waiting.get(key).and_then(BTreeMap::first_key_value) {
            first.notify_one();
        }
    }
}

/// A waiting call. The call no longer waits when this value is dropped.
pub(crate) struct PermitWaiter {
    waiters: PermitWaiters,
    keys: SmallVec<[Box<[u8]>; 1]>,
    place: u64,
    woken: Arc<Notify>,
    pass_on: bool,
}

impl PermitWaiter {
    pub(crate) async fn woken(&self) {
        self.woken.notified().await;
    }

    /// Whether no other call of this process has waited longer for one of the permits.
    pub(crate) fn is_first(&self) -> bool {
        let state = self.waiters.0.lock();
        let first = |key| state.waiting.get(key).and_then(BTreeMap::first_key_value);
        self.keys.iter().all(|key| first(key).is_none_or(|(place, _)| *place == self.place))
    }

    /// When this value is dropped, wakes the next call, because more permits are free.
    pub(crate) fn pass_on(&mut self) {
        self.pass_on = true;
    }
}

/// Wakes the next waiting call, if this call was woken and has not asked again, or if `pass_on` was called.
impl Drop for PermitWaiter {
    fn drop(&mut self) {
        let pass_on = self.pass_on || pin!(self.woken.notified()).enable();
        let mut state = self.waiters.0.lock();
        for key in &self.keys {
            if let Some(waiting) = state.waiting.get_mut(key) {
                waiting.remove(&self.place);
                if waiting.is_empty() {
                    state.waiting.remove(key);
                }
            }
            if pass_on {
                state.wake(key);
            }
        }
    }
}

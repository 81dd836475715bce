//! Who waits in this process for a permit, so that one which comes back wakes the one that has waited longest.

use crate::key::StoreKey;
use smallvec::SmallVec;
use std::collections::{BTreeMap, HashMap};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

type Waiting = HashMap<Box<[u8]>, BTreeMap<u64, Arc<Notify>>>;

#[derive(Clone, Default)]
pub(crate) struct Wake(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    next: u64,
    waiting: Waiting,
}

impl Wake {
    /// Waits for permits under these keys, behind all who do already.
    pub(crate) fn wait_for<'k>(&self, keys: impl Iterator<Item = StoreKey<'k>>) -> Waiter {
        let keys: SmallVec<[Box<[u8]>; 1]> = keys.map(|key| key.as_bytes().into()).collect();
        let woken = Arc::new(Notify::new());
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.next += 1;
        let place = state.next;
        for key in &keys {
            state.waiting.entry(key.clone()).or_default().insert(place, Arc::clone(&woken));
        }
        Waiter { wake: self.clone(), keys, place, woken, pass_on: false }
    }

    /// A permit under this key has come back.
    pub(crate) fn wake(&self, key: StoreKey<'_>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).wake(key.as_bytes());
    }
}

impl State {
    fn wake(&self, key: &[u8]) {
        if let Some((_, first)) = self.waiting.get(key).and_then(BTreeMap::first_key_value) {
            first.notify_one();
        }
    }
}

/// One that waits, until it is dropped.
pub(crate) struct Waiter {
    wake: Wake,
    keys: SmallVec<[Box<[u8]>; 1]>,
    place: u64,
    woken: Arc<Notify>,
    pass_on: bool,
}

impl Waiter {
    pub(crate) async fn woken(&self) {
        self.woken.notified().await;
    }

    /// It has got its permit, and there are more: the next one may have one too.
    pub(crate) fn pass_on(&mut self) {
        self.pass_on = true;
    }
}

/// A permit of which it was told, and which it has not asked for, is for the next one.
impl Drop for Waiter {
    fn drop(&mut self) {
        let pass_on = self.pass_on || pin!(self.woken.notified()).enable();
        let mut state = self.wake.0.lock().unwrap_or_else(PoisonError::into_inner);
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

//! `ByTask`: finds the value that belongs to a request by the task that answers the request. It is for rocket, whose fairings
//! cannot wrap the future of a handler.
//!
//! rocket answers each request in a separate tokio task: the fairings, the guards, the handler and the catchers run there. A
//! fairing registers the value of the request under the id of the task. A [`Registration`] removes the value when the request
//! ends or is dropped. So the table has one entry for each request in flight.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use tokio::runtime::Handle;
use tokio::task;

/// The value of a request, such as its context or its limiter.
pub(crate) struct OfRequest<T> {
    pub(crate) value: Option<T>,
    /// The task-local value outside the request. If the current task-local value differs from this value, the code runs in a
    /// scope inside the request. That scope takes precedence.
    pub(crate) outer: Option<T>,
}

/// The task or the thread that answers a request.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Task(task::Id),
    /// The thread that `block_on` blocks. The future of `block_on` has no id, and never moves to another thread.
    Thread(ThreadId),
}

impl Key {
    /// `None` outside tokio, where a future may move between threads.
    fn current() -> Option<Self> {
        let of_thread = || Handle::try_current().is_ok().then(|| Self::Thread(thread::current().id()));
        task::try_id().map(Self::Task).or_else(of_thread)
    }
}

enum Entry<T> {
    One(OfRequest<T>),
    /// The number of requests that a task answers at the same time. It is above one only with rocket's local client. The table
    /// cannot tell such requests apart, so they have no value until all of them have ended.
    Several(usize),
}

const SHARDS: usize = 64;

type Shard<T> = HashMap<Key, Entry<T>, Hashes>;
/// The hashes need no secret, because nobody can choose the ids of tasks and threads.
type Hashes = BuildHasherDefault<DefaultHasher>;

/// A table with the value of each request in flight.
pub(crate) struct ByTask<T> {
    shards: [Mutex<Shard<T>>; SHARDS],
    /// The number of requests in the table. A task always sees the requests that it has added itself, so relaxed loads suffice.
    in_flight: AtomicUsize,
}

impl<T: Clone> ByTask<T> {
    pub(crate) const fn new() -> Self {
        Self {
            shards: [const { Mutex::new(HashMap::with_hasher(Hashes::new())) }; SHARDS],
            in_flight: AtomicUsize::new(0),
        }
    }

    /// Registers the value of the request that the current task answers. `None` outside tokio.
    pub(crate) fn register(&'static self, request: OfRequest<T>) -> Option<Registration<T>> {
        let key = Key::current()?;
        let replaced = match self.shard(key).entry(key) {
            Place::Vacant(place) => {
                place.insert(Entry::One(request));
                None
            }
            Place::Occupied(mut place) => {
                let others = match place.get() {
                    Entry::One(_) => 1,
                    Entry::Several(others) => *others,
                };
                Some(place.insert(Entry::Several(others + 1)))
            }
        };
        drop(replaced); // after the lock was released
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        Some(Registration { table: self, key })
    }

    /// The value of the request that the current task answers. `None` if there is a scope inside the request: the task-local
    /// value is then not the `same` as outside the request. Costs one relaxed load if no request is in the table.
    #[inline]
    pub(crate) fn find(
        &self,
        task_local: impl FnOnce() -> Option<T>,
        same: impl FnOnce(&T, &T) -> bool,
    ) -> Option<T> {
        if self.in_flight.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let key = Key::current()?;
        match self.shard(key).get(&key)? {
            Entry::One(request) => {
                let is_same = match (task_local(), &request.outer) {
                    (Some(inner), Some(outer)) => same(&inner, outer),
                    (inner, outer) => inner.is_none() && outer.is_none(),
                };
                return request.value.clone().filter(|_| is_same);
            }
            Entry::Several(_) => {}
        }
        warn_several();
        None
    }

    fn shard(&self, key: Key) -> MutexGuard<'_, Shard<T>> {
        // The upper bits of the hash select the shard, because the map in a shard uses the lower bits.
        let at = Hashes::new().hash_one(key) >> (u64::BITS - SHARDS.ilog2());
        let shard = &self.shards[usize::try_from(at).unwrap_or_default()];
        shard.lock()
    }
}

/// The registration of a request. The value of the request applies until this is dropped.
pub(crate) struct Registration<T: Clone + 'static> {
    table: &'static ByTask<T>,
    key: Key,
}

impl<T: Clone> Registration<T> {
    /// Replaces the registered value of the request.
    pub(crate) fn replace(&self, request: OfRequest<T>) {
        let replaced = match self.table.shard(self.key).get_mut(&self.key) {
            Some(Entry::One(registered)) => Some(std::mem::replace(registered, request)),
            Some(Entry::Several(_)) | None => None,
        };
        drop(replaced); // after the lock was released
    }
}

impl<T: Clone> Drop for Registration<T> {
    fn drop(&mut self) {
        self.table.in_flight.fetch_sub(1, Ordering::Relaxed);
        let mut entries = self.table.shard(self.key);
        let removed = match entries.get_mut(&self.key) {
            Some(Entry::Several(requests)) if *requests > 1 => {
                *requests -= 1;
                None
            }
            _ => entries.remove(&self.key),
        };
        drop(entries);
        drop(removed); // after the lock was released
    }
}

/// Logs a warning, at most once, that some requests have no context.
fn warn_several() {
    static WARNED: AtomicBool = AtomicBool::new(false);
    if !WARNED.swap(true, Ordering::Relaxed) {
        tracing::warn!(
            "one task dispatches several local requests at once, so their handlers have no request context; dispatch each request \
             in a task of its own"
        );
    }
}

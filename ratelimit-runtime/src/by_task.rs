//! `ByTask`: finds what applies to a request by the task that answers it, for rocket, whose fairings cannot wrap the future of a
//! handler.
//!
//! rocket answers each request in a separate tokio task: the fairings, the guards, the handler and the catchers run there. A
//! fairing registers what applies under the id of the task, and a [`Registration`] removes it when the request ends or is
//! dropped. The table thus has one entry for each request in flight.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use tokio::runtime::Handle;
use tokio::task;

/// The context of the request that a task answers.
pub(crate) struct OfRequest<T> {
    pub(crate) value: Option<T>,
    /// The task-local value outside the request. A different value belongs to a scope inside the request, which takes
    /// precedence.
    pub(crate) outer: Option<T>,
}

/// Where a request is answered.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Task(task::Id),
    /// The thread that `block_on` blocks. Its future has no id, and never moves to another thread.
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
    /// The number of requests that a task answers at the same time. It is above one only with rocket's local client. Nothing
    /// tells such requests apart, so no value applies to them until all have ended.
    Several(usize),
}

const SHARDS: usize = 64;

type Shard<T> = HashMap<Key, Entry<T>, Hashes>;
/// Nobody can choose the ids of tasks and threads, so the hashes need no secret.
type Hashes = BuildHasherDefault<DefaultHasher>;

/// A table of what applies to the requests in flight.
pub(crate) struct ByTask<T> {
    shards: [Mutex<Shard<T>>; SHARDS],
    /// The number of requests in the table. A task always sees the requests that it added, so relaxed loads suffice.
    in_flight: AtomicUsize,
}

impl<T: Clone> ByTask<T> {
    pub(crate) const fn new() -> Self {
        Self {
            shards: [const { Mutex::new(HashMap::with_hasher(Hashes::new())) }; SHARDS],
            in_flight: AtomicUsize::new(0),
        }
    }

    /// Registers the request that the current task answers. `None` outside tokio.
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
        drop(replaced); // without the lock
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        Some(Registration { table: self, key })
    }

    /// Returns the value of the request that the current task answers, unless there is a scope inside the request. Inside a
    /// scope, the task-local value is not the `same` as outside the request. Costs one relaxed load if no request is in the
    /// table.
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
        // The map itself uses the lower bits.
        let at = Hashes::new().hash_one(key) >> (u64::BITS - SHARDS.ilog2());
        let shard = &self.shards[usize::try_from(at).unwrap_or_default()];
        shard.lock()
    }
}

/// The registration of a request. Its value applies until this is dropped.
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
        drop(replaced); // without the lock
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
        drop(removed); // without the lock
    }
}

/// Warns once that requests have no context.
fn warn_several() {
    static WARNED: AtomicBool = AtomicBool::new(false);
    if !WARNED.swap(true, Ordering::Relaxed) {
        tracing::warn!(
            "one task dispatches several local requests at once, so their handlers have no request context; dispatch each request \
             in a task of its own"
        );
    }
}

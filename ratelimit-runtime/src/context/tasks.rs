//! Finds the request context by the task that answers the request, for rocket, whose fairings cannot wrap the future of a
//! handler.
//!
//! rocket answers each request in a tokio task of its own: the fairings, the guards, the handler and the catchers run there. A
//! fairing registers the context under the id of the task, and a [`Registration`] removes it when the request ends or is dropped.
//! The table thus has one entry for each request in flight.

use super::RequestContext;
use crate::limiter::RateLimiter;
use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use tokio::runtime::Handle;
use tokio::task;

/// What applies to the request that a task answers.
#[derive(Clone)]
pub(crate) struct Scope {
    pub(crate) context: RequestContext,
    pub(crate) limiter: Option<RateLimiter>,
    /// The task-local context and limiter outside the request. Others are of scopes inside it, which take precedence.
    pub(crate) outer_context: Option<RequestContext>,
    pub(crate) outer_limiter: Option<RateLimiter>,
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

enum Entry {
    One(Scope),
    /// The number of requests that a task answers at once, which only rocket's local client can do. Nothing tells them apart, so
    /// that none of them has a context, until all have ended.
    Several(usize),
}

const SHARDS: usize = 64;

type Shard = Mutex<HashMap<Key, Entry, Hashes>>;
type Hashes = BuildHasherDefault<IdHasher>;

static TABLE: [Shard; SHARDS] = [const { Mutex::new(HashMap::with_hasher(Hashes::new())) }; SHARDS];

/// The number of requests in the table. A task sees at least its own.
static IN_FLIGHT: AtomicUsize = AtomicUsize::new(0);

/// The registration of a request. The request has a context until this is dropped.
pub(crate) struct Registration(Key);

impl Registration {
    /// Registers the request that the current task answers. `None` outside tokio.
    pub(crate) fn new(scope: Scope) -> Option<Self> {
        let key = Key::current()?;
        let replaced = match shard(key).entry(key) {
            Place::Vacant(place) => {
                place.insert(Entry::One(scope));
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
        IN_FLIGHT.fetch_add(1, Ordering::Relaxed);
        Some(Self(key))
    }

    /// Replaces what applies to the request.
    pub(crate) fn replace(&self, scope: Scope) {
        let replaced = match shard(self.0).get_mut(&self.0) {
            Some(Entry::One(registered)) => Some(std::mem::replace(registered, scope)),
            Some(Entry::Several(_)) | None => None,
        };
        drop(replaced); // without the lock
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        IN_FLIGHT.fetch_sub(1, Ordering::Relaxed);
        let mut entries = shard(self.0);
        let removed = match entries.get_mut(&self.0) {
            Some(Entry::Several(requests)) if *requests > 1 => {
                *requests -= 1;
                None
            }
            _ => entries.remove(&self.0),
        };
        drop(entries);
        drop(removed); // without the lock
    }
}

/// Reads what applies to the request that the current task answers. Costs one relaxed load if no request is in the table.
pub(crate) fn find<R>(read: impl FnOnce(&Scope) -> Option<R>) -> Option<R> {
    if IN_FLIGHT.load(Ordering::Relaxed) == 0 {
        return None;
    }
    let key = Key::current()?;
    match shard(key).get(&key)? {
        Entry::One(scope) => return read(scope),
        Entry::Several(_) => {}
    }
    warn_several();
    None
}

fn shard(key: Key) -> MutexGuard<'static, HashMap<Key, Entry, Hashes>> {
    // The upper bits are the best ones of a product.
    let at = Hashes::new().hash_one(key) >> (u64::BITS - SHARDS.ilog2());
    let shard = &TABLE[usize::try_from(at).unwrap_or_default()];
    shard.lock().unwrap_or_else(PoisonError::into_inner)
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

/// Hashes the ids of tasks and threads, which nobody can choose.
#[derive(Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

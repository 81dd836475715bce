//! A model of `RedisStore` in simulated time: the round trip to Redis, and group commit. A test in `tests/stores` compares
//! the number of script calls of this model with the number of the real store.

use ratelimit::clock::Clock;
use ratelimit::store::{Adjusted, Adjustment, Decisions, Mode, Reply, Request, Store, StoreKey};
use ratelimit::{Error, ErrorKind, MemoryStore};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// The time from a script call to its reply.
pub(crate) const ROUND_TRIP: Duration = Duration::from_millis(1);

/// The largest number of decisions in one script call, and the largest number of concurrent script calls of one process.
const BATCH: usize = 128;
const WORKERS: usize = 4;

/// The clock of the runtime, which is simulated.
#[derive(Clone, Copy)]
struct Simulated(Instant);

impl Clock for Simulated {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// The Redis server of all processes. It contains a memory store, which makes the same decisions as the scripts.
pub(crate) struct Redis {
    clock: Simulated,
    store: MemoryStore<Simulated>,
    calls: AtomicU64,
}

impl Redis {
    pub(crate) fn new() -> Arc<Self> {
        let clock = Simulated(Instant::now());
        Arc::new(Self { store: MemoryStore::with_clock(clock), clock, calls: AtomicU64::new(0) })
    }

    /// Returns the number of script calls.
    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    fn call(&self) -> &MemoryStore<Simulated> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        &self.store
    }
}

/// The store of one process.
#[derive(Clone)]
pub(crate) struct Wire {
    redis: Arc<Redis>,
    /// `None` if each decision is its own script call.
    queue: Option<Arc<Mutex<Queue>>>,
}

/// The queue of one process. Each worker has one script call under way.
#[derive(Default)]
struct Queue {
    waiting: VecDeque<Waiting>,
    workers: usize,
    /// The time at which the last batch was sent.
    last_batch: Duration,
}

struct Waiting {
    mode: Mode,
    request: Request,
    answer: oneshot::Sender<Result<Decisions, Error>>,
}

impl Wire {
    pub(crate) fn new(redis: &Arc<Redis>, group_commit: bool) -> Self {
        Self { redis: Arc::clone(redis), queue: group_commit.then(Arc::default) }
    }

    /// Sends requests in a separate script call.
    fn send(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
        let answer = self.redis.call().decide(mode, requests);
        Reply::pending(async move {
            tokio::time::sleep(ROUND_TRIP).await;
            answer.await
        })
    }

    /// Adds a request to the queue. Returns whether another worker must be started.
    fn enqueue(&self, queue: &mut Queue, waiting: Waiting) -> bool {
        queue.waiting.push_back(waiting);
        let now = self.redis.clock.now();
        let far = queue.workers > 0 && now > queue.last_batch;
        let starts = queue.workers == 0
            || (queue.workers < WORKERS && (far || queue.waiting.len() >= BATCH * queue.workers));
        if starts {
            queue.workers += 1;
            queue.last_batch = now;
        }
        starts
    }
}

fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sends waiting requests as batches until the queue is empty.
async fn work(redis: Arc<Redis>, queue: Arc<Mutex<Queue>>) {
    loop {
        tokio::task::yield_now().await;
        let batch: Vec<Waiting> = {
            let mut queue = lock(&queue);
            queue.last_batch = redis.clock.now();
            let number = queue.waiting.len().min(BATCH);
            if number == 0 {
                queue.workers -= 1;
                return;
            }
            queue.waiting.drain(..number).collect()
        };
        // All requests of a script call have the same mode.
        let (charges, checks): (Vec<_>, Vec<_>) =
            batch.into_iter().partition(|waiting| waiting.mode == Mode::Charge);
        let mut answers = Vec::new();
        for waiting in [charges, checks].into_iter().filter(|waiting| !waiting.is_empty()) {
            let requests: Vec<&Request> = waiting.iter().map(|waiting| &waiting.request).collect();
            let decided = redis.call().decide(waiting[0].mode, &requests).await;
            answers.push((waiting, decided));
        }
        tokio::time::sleep(ROUND_TRIP).await;
        for (waiting, decided) in answers {
            let each = |at: usize| -> Result<Decisions, Error> {
                decided
                    .as_ref()
                    .map(|all| all[at..=at].iter().copied().collect::<Decisions>())
                    .map_err(Clone::clone)
            };
            for (at, waiting) in waiting.into_iter().enumerate() {
                let _ = waiting.answer.send(each(at));
            }
        }
    }
}

impl Store for Wire {
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
        let (Some(shared), [request]) = (&self.queue, requests) else { return self.send(mode, requests) };
        let mut queue = lock(shared);
        let (sender, answer) = oneshot::channel();
        let waiting = Waiting { mode, request: Request::clone(request), answer: sender };
        if self.enqueue(&mut queue, waiting) {
            tokio::spawn(work(Arc::clone(&self.redis), Arc::clone(shared)));
        }
        Reply::pending(async move { answer.await.unwrap_or_else(|_| Err(lost())) })
    }

    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        let answer = self.redis.call().adjust(adjustments);
        Reply::pending(async move {
            tokio::time::sleep(ROUND_TRIP).await;
            answer.await
        })
    }

    fn reset(&self, keys: &[StoreKey]) -> Reply<u64> {
        Reply::pending(self.redis.call().reset(keys))
    }
}

fn lost() -> Error {
    Error::new(ErrorKind::Unavailable, "the worker was dropped")
}

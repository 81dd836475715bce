//! One runtime's queries of the slot map: one at a time, with a pause between them, and a count of those that were too slow.

use crate::error::Error;
use crate::store::MissedDeadline;
use crate::store::redis::server::{Ending, SlowCalls, UnderWay};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::Instant;

/// The shortest time between the starts of two queries.
const INTERVAL: Duration = Duration::from_millis(100);

/// The result of a query.
pub(super) type QueryResult = Result<(), Error>;

#[derive(Default)]
pub(super) struct SlotQueries {
    last: Mutex<Option<Query>>,
    slow_calls: SlowCalls,
    slow: AtomicBool,
    /// Whether a task asks until each node can be reached.
    follows: AtomicBool,
}

/// The query under way, or the last one.
struct Query {
    began: Instant,
    result: UnderWay<QueryResult>,
}

impl SlotQueries {
    /// Returns the query under way, or one that has just ended. Otherwise starts a new one by `start`. Calls wait for it in the
    /// order of their arrival.
    pub(super) fn join(&self, start: impl FnOnce(Ending<QueryResult>)) -> UnderWay<QueryResult> {
        let mut last = self.last.lock();
        if let Some(query) = &*last
            && query.result.is_alive()
            && (!query.result.has_result() || query.began.elapsed() < INTERVAL)
        {
            return query.result.clone();
        }
        let (ending, result) = UnderWay::start();
        *last = Some(Query { began: Instant::now(), result: result.clone() });
        start(ending);
        result
    }

    pub(super) fn succeeded(&self) {
        self.slow_calls.reset();
        self.slow.store(false, Ordering::Relaxed);
    }

    /// Returns whether too many callers in a row have missed their deadlines while they waited for a query. Then no further
    /// call waits.
    pub(super) fn are_slow(&self) -> bool {
        self.slow.load(Ordering::Relaxed)
    }
}

/// A task that asks for the slot map while a node cannot be reached. There is one in each runtime.
pub(super) struct Following(Arc<SlotQueries>);

impl Following {
    /// Returns `None` if there is such a task.
    pub(super) fn begin(queries: &Arc<SlotQueries>) -> Option<Self> {
        (!queries.follows.swap(true, Ordering::Relaxed)).then(|| Self(Arc::clone(queries)))
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.0.follows.store(false, Ordering::Relaxed);
    }
}

impl MissedDeadline for SlotQueries {
    fn missed_deadline(&self, deadline: Duration) {
        if self.slow_calls.missed(deadline).is_some() {
            self.slow.store(true, Ordering::Relaxed);
        }
    }
}

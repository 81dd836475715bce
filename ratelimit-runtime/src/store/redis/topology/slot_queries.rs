//! One runtime's queries of the slot map: one at a time, with a pause between them, and a count of those that were too slow.

use crate::error::Error;
use crate::store::MissedDeadline;
use crate::store::redis::server::SlowCalls;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// The shortest time between the starts of two queries.
const INTERVAL: Duration = Duration::from_millis(100);

/// The result of a query, or `None` while it is under way.
pub(super) type QueryResult = Option<Result<(), Error>>;

#[derive(Default)]
pub(super) struct SlotQueries {
    last: Mutex<Option<Query>>,
    slow_calls: SlowCalls,
    slow: AtomicBool,
}

/// The query under way, or the last one.
struct Query {
    began: Instant,
    result: watch::Receiver<QueryResult>,
}

impl SlotQueries {
    /// Returns the query under way, or one that has just ended. Otherwise starts a new one by `start`.
    pub(super) fn join(
        &self,
        start: impl FnOnce(watch::Sender<QueryResult>),
    ) -> watch::Receiver<QueryResult> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(query) = &*last {
            let is_alive = query.result.has_changed().is_ok();
            let has_ended = query.result.borrow().is_some();
            if (is_alive && !has_ended) || (has_ended && query.began.elapsed() < INTERVAL) {
                return query.result.clone();
            }
        }
        let (sender, result) = watch::channel(None);
        *last = Some(Query { began: Instant::now(), result: result.clone() });
        start(sender);
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

impl MissedDeadline for SlotQueries {
    fn missed_deadline(&self, deadline: Duration) {
        if self.slow_calls.missed(deadline).is_some() {
            self.slow.store(true, Ordering::Relaxed);
        }
    }
}

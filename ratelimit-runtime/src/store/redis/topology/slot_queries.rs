//! One runtime's queries of the slot map: one at a time, with a pause between them.

use crate::error::Error;
use crate::store::MissedDeadline;
use crate::store::redis::server::{Ending, SlowCalls, UnderWay};
use parking_lot::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tokio::time::Instant;

/// The shortest time between the starts of two queries.
const INTERVAL: Duration = Duration::from_millis(100);

/// The result of a query.
pub(super) type QueryResult = Result<(), Error>;

#[derive(Default)]
pub(super) struct SlotQueries {
    /// The last query, which may still be under way, and when it began.
    last: Mutex<Option<(Instant, UnderWay<QueryResult>)>>,
    /// Counts the calls that have missed their deadlines while they waited for a query.
    pub(super) slow_calls: SlowCalls,
    /// Whether there is a task that queries the slot map again and again while a node cannot be reached.
    pub(super) follows: AtomicBool,
}

impl SlotQueries {
    /// Joins the last query, if that is still under way or began less than [`INTERVAL`] ago. Otherwise calls `start`, which
    /// starts a new query. Calls that wait for a query are woken in the order of their arrival.
    pub(super) fn join(&self, start: impl FnOnce(Ending<QueryResult>)) -> UnderWay<QueryResult> {
        let mut last = self.last.lock();
        if let Some((began, result)) = &*last
            && result.is_alive()
            && (!result.has_result() || began.elapsed() < INTERVAL)
        {
            return result.clone();
        }
        let (ending, result) = UnderWay::start();
        *last = Some((Instant::now(), result.clone()));
        start(ending);
        result
    }
}

impl MissedDeadline for SlotQueries {
    fn missed_deadline(&self, deadline: Duration) {
        let _ = self.slow_calls.missed(deadline);
    }
}

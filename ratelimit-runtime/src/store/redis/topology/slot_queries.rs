//! One runtime's looks at the slots of a cluster: one at a time, not too often, and a count of those that were too slow.

use crate::error::Error;
use crate::store::MissedDeadline;
use crate::store::redis::server::slow_calls::Pace;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Least time from one look at the slots to the next.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

type Outcome = Option<Result<(), Error>>;

#[derive(Default)]
pub(crate) struct Looks {
    last: Mutex<Option<Look>>,
    pace: Pace,
    slow: AtomicBool,
}

/// The last look, or the one under way.
struct Look {
    began: Instant,
    outcome: watch::Receiver<Outcome>,
}

impl Looks {
    /// The look under way, the one just ended, or a new one.
    pub(crate) fn start(&self, look: impl FnOnce(watch::Sender<Outcome>)) -> watch::Receiver<Outcome> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(look) = &*last {
            let lives = look.outcome.has_changed().is_ok();
            let ended = look.outcome.borrow().is_some();
            if (lives && !ended) || (ended && look.began.elapsed() < BETWEEN_LOOKS) {
                return look.outcome.clone();
            }
        }
        let (sender, outcome) = watch::channel(None);
        *last = Some(Look { began: Instant::now(), outcome: outcome.clone() });
        look(sender);
        outcome
    }

    pub(crate) fn succeeded(&self) {
        self.pace.kept();
        self.slow.store(false, Ordering::Relaxed);
    }

    /// Whether five waiting callers in a row have missed their deadline: then no further call waits.
    pub(crate) fn are_slow(&self) -> bool {
        self.slow.load(Ordering::Relaxed)
    }
}

impl MissedDeadline for Looks {
    fn missed_deadline(&self, deadline: Duration) {
        if self.pace.missed(deadline).is_some() {
            self.slow.store(true, Ordering::Relaxed);
        }
    }
}

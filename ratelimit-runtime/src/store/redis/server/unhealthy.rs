//! Counts the sessions that find a server unhealthy: unavailable, or too slow for its callers.

use crate::observe::session_unhealthy;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The number of unhealthy sessions of one node. A clone is the same number.
#[derive(Clone, Default)]
pub(super) struct UnhealthySessions(Arc<AtomicUsize>);

impl UnhealthySessions {
    pub(super) fn any(&self) -> bool {
        self.0.load(Ordering::Relaxed) != 0
    }

    /// Creates the flag of one session, which is healthy at first.
    pub(super) fn flag(&self) -> UnhealthyFlag {
        UnhealthyFlag { is_set: AtomicBool::new(false), sessions: self.clone() }
    }
}

/// Whether one session finds its server unhealthy. It repeats the state of the session's circuit breaker, and can be read
/// without the session's lock.
pub(super) struct UnhealthyFlag {
    is_set: AtomicBool,
    sessions: UnhealthySessions,
}

impl UnhealthyFlag {
    pub(super) fn get(&self) -> bool {
        self.is_set.load(Ordering::Relaxed)
    }

    pub(super) fn set(&self, unhealthy: bool) {
        let count = &self.sessions.0;
        match (self.is_set.swap(unhealthy, Ordering::Relaxed), unhealthy) {
            (false, true) => drop(count.fetch_add(1, Ordering::Relaxed)),
            (true, false) => drop(count.fetch_sub(1, Ordering::Relaxed)),
            _ => return,
        }
        session_unhealthy(unhealthy);
    }
}

impl Drop for UnhealthyFlag {
    fn drop(&mut self) {
        self.set(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_session_counts_once_and_until_it_is_dropped() {
        let sessions = UnhealthySessions::default();
        let [first, second] = [sessions.flag(), sessions.flag()];
        first.set(true);
        first.set(true);
        second.set(true);
        second.set(false);
        assert!(sessions.any() && first.get() && !second.get());
        drop(first);
        assert!(!sessions.any());
    }
}

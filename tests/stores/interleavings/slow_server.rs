//! Model tests of the count of slow calls, in every order of events.

use loom::thread;
use std::sync::Arc;
use std::time::Duration;

mod sync {
    pub(super) use loom::sync::atomic::{AtomicU64, Ordering};
}

#[path = "../../../ratelimit-runtime/src/store/redis/server/slow_calls.rs"]
mod slow_calls;

use slow_calls::SlowCalls;
use support::MS;

/// Reports missed deadlines, and asserts that they are not too many.
fn missed(times: usize, deadline: u32, calls: &SlowCalls) {
    for _ in 0..times {
        assert_eq!(calls.missed(deadline * MS), None);
    }
}

#[test]
fn the_fifth_missed_deadline_in_a_row_is_too_many() {
    loom::model(|| {
        let calls = SlowCalls::default();
        for deadline in [30, 100, 20, 50] {
            assert_eq!(calls.missed(deadline * MS), None);
        }
        assert!(!calls.are_too_many());
        assert_eq!(calls.missed(40 * MS), Some(100 * MS));
        // A further missed deadline is not reported again.
        assert_eq!(calls.missed(40 * MS), None);
        assert!(calls.are_too_many());
        calls.reset();
        missed(4, 20, &calls);
        assert_eq!(calls.missed(20 * MS), Some(20 * MS));
    });
}

#[test]
fn a_reply_in_time_resets_the_count() {
    loom::model(|| {
        let calls = SlowCalls::default();
        for _ in 0..10 {
            missed(4, 100, &calls);
            calls.reset();
        }
    });
}

/// If several callers give up at the same time, one of them gets the longest deadline of all.
#[test]
fn one_caller_notices_that_there_were_too_many() {
    loom::model(|| {
        let calls = Arc::new(SlowCalls::default());
        missed(3, 20, &calls);
        let giving_up = [30, 100].map(|deadline| {
            let calls = Arc::clone(&calls);
            thread::spawn(move || calls.missed(deadline * MS))
        });
        let reported: Vec<Duration> =
            giving_up.into_iter().filter_map(|caller| caller.join().unwrap()).collect();
        assert_eq!(reported, [100 * MS]);
    });
}

/// A reply that arrives at the same time may reset the count or not. The next reply resets it in any case.
#[test]
fn a_simultaneous_reply_leaves_a_valid_count() {
    loom::model(|| {
        let calls = Arc::new(SlowCalls::default());
        missed(4, 20, &calls);
        let other = Arc::clone(&calls);
        let giving_up = thread::spawn(move || other.missed(30 * MS));
        calls.reset();
        let reported = giving_up.join().unwrap();
        assert!(reported.is_none_or(|deadline| deadline <= 30 * MS), "{reported:?}");
        calls.reset();
        missed(4, 20, &calls);
        assert_eq!(calls.missed(20 * MS), Some(20 * MS));
    });
}

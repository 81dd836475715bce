//! The count of missed deadlines of a slow server, in every order of events (loom).

use loom::thread;
use std::sync::Arc;
use std::time::Duration;

mod sync {
    pub(super) use loom::sync::atomic::{AtomicU64, Ordering};
}

#[path = "../../../ratelimit-runtime/src/store/redis/pace.rs"]
mod pace;

use pace::Pace;

const MS: Duration = Duration::from_millis(1);

#[test]
fn five_in_a_row_are_too_many() {
    loom::model(|| {
        let pace = Pace::default();
        for deadline in [30, 100, 20, 50] {
            assert_eq!(pace.missed(deadline * MS), None);
        }
        assert_eq!(pace.missed(40 * MS), Some(100 * MS));
        // The other calls were already under way.
        assert_eq!(pace.missed(40 * MS), None);
        pace.kept();
        for _ in 0..4 {
            assert_eq!(pace.missed(20 * MS), None);
        }
        assert_eq!(pace.missed(20 * MS), Some(20 * MS));
    });
}

#[test]
fn an_answer_in_between_counts_for_the_server() {
    loom::model(|| {
        let pace = Pace::default();
        for _ in 0..10 {
            for _ in 0..4 {
                assert_eq!(pace.missed(100 * MS), None);
            }
            pace.kept();
        }
    });
}

/// Of two callers that miss their deadlines at the same time, one is told, with the longest deadline of all.
#[test]
fn one_hears_that_there_were_too_many() {
    loom::model(|| {
        let pace = Arc::new(Pace::default());
        for _ in 0..3 {
            assert_eq!(pace.missed(20 * MS), None);
        }
        let giving_up = [30, 100].map(|deadline| {
            let pace = Arc::clone(&pace);
            thread::spawn(move || pace.missed(deadline * MS))
        });
        let heard: Vec<Duration> =
            giving_up.into_iter().filter_map(|caller| caller.join().unwrap()).collect();
        assert_eq!(heard, [100 * MS]);
    });
}

/// A reply at the same time may or may not reset the count. The next reply certainly resets it.
#[test]
fn an_answer_meanwhile_spoils_nothing() {
    loom::model(|| {
        let pace = Arc::new(Pace::default());
        for _ in 0..4 {
            assert_eq!(pace.missed(20 * MS), None);
        }
        let other = Arc::clone(&pace);
        let giving_up = thread::spawn(move || other.missed(30 * MS));
        pace.kept();
        let heard = giving_up.join().unwrap();
        assert!(heard.is_none_or(|deadline| deadline <= 30 * MS), "{heard:?}");
        pace.kept();
        for _ in 0..4 {
            assert_eq!(pace.missed(20 * MS), None);
        }
        assert_eq!(pace.missed(20 * MS), Some(20 * MS));
    });
}

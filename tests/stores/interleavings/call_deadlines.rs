//! Model tests of the deadlines of calls, in every order of events. The task of the session wakes the caller at the deadline of
//! its call.

use super::call::{CallOutcome, PendingCall};
use super::calls::{BOUNDS, enqueue, numbered};
use super::queue::{Queue, judge};
use loom::future::block_on;
use loom::thread;
use std::future::poll_fn;
use std::task::{Poll, Wake, Waker};
use std::time::Duration;
use tokio::time::Instant;

const LATER: Duration = Duration::from_secs(1);

/// Waits until the call has an outcome. `None` if its deadline has passed before.
fn wait(pending: &PendingCall) -> Option<CallOutcome> {
    block_on(poll_fn(|context| match pending.poll(context) {
        Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
        Poll::Pending if pending.is_overdue() => Poll::Ready(None),
        Poll::Pending => Poll::Pending,
    }))
}

/// The task wakes the callers whose deadlines have passed, both of a batch and in the queue. They may still get their replies.
#[test]
fn the_task_watches_deadlines() {
    loom::model(|| {
        let (queue, start) = (Queue::new(BOUNDS), Instant::now());
        let [sent, waits] = [(1, LATER), (2, 2 * LATER)].map(|(n, after)| numbered(n, Some(start + after)));
        let mut taker = enqueue(&queue, &sent, start).unwrap();
        let (batch, _) = taker.take(0, || start, None, Waker::noop());
        assert!(enqueue(&queue, &waits, start).is_none());
        let look = Some(start + LATER);
        assert_eq!(taker.take(2, || start, look, Waker::noop()).1, look);
        let watching = thread::spawn(move || {
            let mut overdue = Vec::new();
            assert_eq!(judge(&batch, start + LATER, &mut overdue), None);
            overdue.into_iter().for_each(Waker::wake);
            taker.look(start + LATER);
            let (_, look) = taker.take(2, || start + LATER, None, Waker::noop());
            assert_eq!(look, Some(start + 2 * LATER));
            taker.look(start + 2 * LATER);
            (taker, batch)
        });
        assert!(wait(&sent).is_none());
        assert!(wait(&waits).is_none());
        let (taker, mut batch) = watching.join().unwrap();
        batch.remove(0).reply(7);
        assert!(matches!(wait(&sent), Some(CallOutcome::Replied(7))));
        drop(taker);
        assert!(matches!(wait(&waits), Some(CallOutcome::NotSent)));
    });
}

/// Wakes nobody, but remembers that it was asked to.
struct Woken(std::sync::atomic::AtomicBool);

impl Wake for Woken {
    fn wake(self: std::sync::Arc<Self>) {
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

/// A sleeping task is woken by a call that it must send, or whose deadline is before the next look.
#[test]
fn a_call_wakes_the_task_if_it_must() {
    loom::model(|| {
        let start = Instant::now();
        for (under_way, deadline, entered, expected) in [
            (0, 3 * LATER, start, true),
            (1, 3 * LATER, start, false),
            (1, LATER, start, true),
            (1, 3 * LATER, start + LATER, true),
            (2, 3 * LATER, start + LATER, false),
        ] {
            let (queue, first) = (Queue::new(BOUNDS), numbered(0, None));
            let mut taker = enqueue(&queue, &first, start).unwrap();
            let (_batch, _) = taker.take(0, || start, None, Waker::noop());
            let woken = std::sync::Arc::new(Woken(false.into()));
            let (empty, look) =
                taker.take(under_way, || start, Some(start + 2 * LATER), &woken.clone().into());
            assert!(empty.is_empty() && look == Some(start + 2 * LATER));
            let call = numbered(1, Some(start + deadline));
            assert!(enqueue(&queue, &call, entered).is_none());
            assert_eq!(
                woken.0.load(std::sync::atomic::Ordering::Relaxed),
                expected,
                "{under_way}, {deadline:?}"
            );
        }
    });
}

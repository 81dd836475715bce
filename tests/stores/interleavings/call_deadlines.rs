//! Model tests of the deadlines of waiting calls, in every order of events. Either a worker wakes the caller at the deadline of
//! its call, or the caller has its own timer.

use super::call::{CallOutcome, PendingCall};
use super::calls::{BOUNDS, enqueue, numbered};
use super::parts::DeadlineWatch::{self, Overdue, Unwatched, Watched};
use super::queue::{Bounds, Queue};
use loom::future::block_on;
use loom::thread;
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;
use tokio::time::Instant;

/// Waits until the call has an outcome, its deadline has passed, or no worker watches its deadline.
fn wait(pending: &PendingCall) -> Result<CallOutcome, DeadlineWatch> {
    block_on(poll_fn(|context| match pending.poll(context) {
        Poll::Ready(outcome) => Poll::Ready(Ok(outcome)),
        Poll::Pending => match pending.watch() {
            Watched => Poll::Pending,
            other => Poll::Ready(Err(other)),
        },
    }))
}

/// While a worker waits for a reply, it wakes the callers whose deadlines have passed, both in its batch and in the queue.
#[test]
fn a_worker_watches_deadlines() {
    const LATER: Duration = Duration::from_secs(1);
    loom::model(|| {
        let (queue, start) = (Queue::new(Bounds { batch: 1, workers: 1, ..BOUNDS }), Instant::now());
        let sent = numbered(1, Some(start + LATER));
        let [waits, is_hasty] =
            [(2, 2 * LATER), (3, LATER / 2)].map(|(n, after)| numbered(n, Some(start + after)));
        let _under_way = queue.enter(&numbered(0, None), || start);
        let mut worker = enqueue(&queue, &sent, start).unwrap();
        // The worker has not been polled yet.
        assert!(matches!(wait(&sent), Err(Unwatched)));
        let (batch, look) = worker.take(start);
        assert_eq!(look, Some(start + LATER));
        assert!(enqueue(&queue, &waits, start).is_none());
        assert!(enqueue(&queue, &is_hasty, start).is_none());
        assert!(matches!(wait(&is_hasty), Err(Unwatched)), "the worker looks too late for it");
        let watching = thread::spawn(move || {
            // The first look is late, so it judges nobody.
            worker.postpone(start + LATER);
            assert_eq!(worker.look(batch.iter(), start + LATER), Some(start + 2 * LATER));
            assert_eq!(worker.look(batch.iter(), start + 2 * LATER), None);
            (worker, batch)
        });
        assert!(matches!(wait(&waits), Err(Overdue)));
        let (worker, batch) = watching.join().unwrap();
        // The worker no longer watches the first call, so the caller needs its own timer.
        assert!(matches!(wait(&sent), Err(Unwatched)));
        drop((worker, batch));
    });
}

/// A call whose deadline was judged before it was sent does not make the first look seem late.
#[test]
fn a_worker_does_not_look_at_deadlines_that_were_judged() {
    const LATER: Duration = Duration::from_secs(1);
    loom::model(|| {
        let (queue, start) = (Queue::new(Bounds { workers: 1, ..BOUNDS }), Instant::now());
        let _under_way = queue.enter(&numbered(0, None), || start);
        let [judged, waits] = [(1, start), (2, start + 3 * LATER)].map(|(n, at)| numbered(n, Some(at)));
        let mut worker = enqueue(&queue, &judged, start).unwrap();
        assert!(enqueue(&queue, &waits, start).is_none());
        let (batch, look) = worker.take(start + LATER);
        assert_eq!((batch.len(), look), (2, Some(start + 3 * LATER)));
    });
}

/// If a worker is dropped, the other worker may wake too late for the calls that the dropped worker has watched. The callers of
/// these calls therefore need their own timers.
#[test]
fn a_dropped_worker_leaves_deadlines_to_the_callers() {
    loom::model(|| {
        let bounds = Bounds { batch: 1, ..BOUNDS };
        let (queue, start) = (Queue::new(bounds), Instant::now());
        let calls = [1, 2, 3].map(|number| numbered(number, Some(start)));
        let _under_way = queue.enter(&numbered(0, None), || start);
        let mut workers = [0, 1].map(|at| enqueue(&queue, &calls[at], start).unwrap());
        let batches = [workers[0].take(start), workers[1].take(start)];
        assert!(enqueue(&queue, &calls[2], start).is_none());
        let [first, second] = workers;
        let dropping = thread::spawn(move || drop(first));
        assert!(matches!(wait(&calls[2]), Err(Unwatched)));
        dropping.join().unwrap();
        drop((second, batches));
    });
}

//! Model tests of the queue and the pending calls, in every order of events. Each waiting call is sent or returned to its
//! caller, and each caller receives its own reply.

use super::call::{CallOutcome, CallSender};
use super::calls::{BOUNDS, enqueue, numbered, numbers};
use super::queue::{Entered, Queue, Taker};
use loom::future::block_on;
use loom::sync::Arc;
use loom::thread;
use std::future::poll_fn;
use std::task::{Poll, Waker};
use tokio::time::Instant;

fn reply_to_all(batch: Vec<CallSender>) {
    for call in batch {
        call.reply(0);
    }
}

/// Takes calls and replies to them until `number` calls have their replies, like the task of a session.
fn serve(mut taker: Taker, number: usize) {
    let mut served = 0;
    block_on(poll_fn(|context| {
        loop {
            let (batch, _) = taker.take(0, Instant::now, None, context.waker());
            if batch.is_empty() {
                return if served < number { Poll::Pending } else { Poll::Ready(()) };
            }
            served += batch.len();
            reply_to_all(batch);
        }
    }));
}

/// Takes one batch and then drops the taker, like a task that is dropped with its runtime.
fn serve_once(mut taker: Taker, _: usize) {
    let (batch, _) = taker.take(0, Instant::now, None, Waker::noop());
    reply_to_all(batch);
}

/// Tries all orders of three concurrent callers. The caller whose call starts a task is that task. Returns whether each call was
/// sent.
fn callers(serve: fn(Taker, usize), may_return: bool) {
    const CALLERS: usize = 3;
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let (queue, start) = (Arc::new(Queue::new(BOUNDS)), Instant::now());
        let call = move |queue: &Queue| {
            let call = numbered(0, None);
            if let Some(taker) = enqueue(queue, &call, start) {
                serve(taker, CALLERS);
            }
            call
        };
        let calling: Vec<_> = (1..CALLERS)
            .map(|_| {
                let queue = Arc::clone(&queue);
                thread::spawn(move || call(&queue))
            })
            .collect();
        let mut calls = vec![call(&queue)];
        calls.extend(calling.into_iter().map(|caller| caller.join().unwrap()));
        for call in calls {
            let outcome = block_on(poll_fn(|context| call.poll(context)));
            assert!(may_return || matches!(outcome, CallOutcome::Replied(_)));
        }
    });
}

#[test]
fn each_waiting_call_is_sent() {
    callers(serve, false);
}

#[test]
fn the_calls_of_a_dropped_task_return() {
    callers(serve_once, true);
}

#[test]
fn a_batch_has_no_call_whose_caller_has_given_up() {
    loom::model(|| {
        let (queue, start) = (Queue::new(BOUNDS), Instant::now());
        let [one, two] = [1, 2].map(|number| numbered(number, None));
        let mut taker = enqueue(&queue, &one, start).unwrap();
        assert!(enqueue(&queue, &two, start).is_none());
        drop(one);
        assert_eq!(numbers(&taker.take(0, || start, None, Waker::noop()).0), [2]);
        assert!(taker.take(0, || start, None, Waker::noop()).0.is_empty());
    });
}

#[test]
fn a_full_queue_refuses_calls() {
    loom::model(|| {
        let (queue, start) = (Queue::new(BOUNDS), Instant::now());
        let calls = [0, 1, 2].map(|number| numbered(number, None));
        let _takers = calls.each_ref().map(|call| enqueue(&queue, call, start));
        assert!(matches!(queue.enter(&calls[0], || start), Entered::Full));
    });
}

/// The number of batches under way is bounded. A further batch is sent if many calls wait, or after some time.
#[test]
fn few_batches_are_under_way_at_the_same_time() {
    loom::model(|| {
        let start = Instant::now();
        for (under_way, calls, after, expected) in
            [(0, 1, 0, 1), (1, 1, 0, 0), (1, 2, 0, 2), (1, 1, 1, 1), (2, 3, 1, 0)]
        {
            let (queue, first) = (Queue::new(BOUNDS), numbered(0, None));
            let mut taker = enqueue(&queue, &first, start).unwrap();
            let (_batch, _) = taker.take(0, || start, None, Waker::noop());
            let calls: Vec<_> = (0..calls).map(|number| numbered(number, None)).collect();
            assert!(calls.iter().all(|call| enqueue(&queue, call, start).is_none()));
            let now = start + after * BOUNDS.another_after;
            let (batch, _) = taker.take(under_way, || now, None, Waker::noop());
            assert_eq!(batch.len(), expected, "{under_way} under way, {} wait, {after}", calls.len());
        }
    });
}

#[test]
fn a_waiting_caller_receives_its_reply() {
    loom::model(|| {
        let pending = numbered(1, None);
        let call = CallSender::new(&pending);
        let sender = thread::spawn(move || {
            assert_eq!(call.request, 1);
            call.reply(2);
        });
        let outcome = block_on(poll_fn(|context| pending.poll(context)));
        assert!(matches!(outcome, CallOutcome::Replied(2)));
        sender.join().unwrap();
    });
}

#[test]
fn a_caller_learns_that_its_request_was_not_sent() {
    loom::model(|| {
        let pending = numbered(1, None);
        let call = CallSender::new(&pending);
        let sender = thread::spawn(move || drop(call));
        assert!(matches!(block_on(poll_fn(|context| pending.poll(context))), CallOutcome::NotSent));
        sender.join().unwrap();
    });
}

#[test]
fn a_call_whose_caller_has_given_up_is_not_wanted() {
    loom::model(|| {
        let pending = numbered(1, None);
        let call = CallSender::new(&pending);
        let sender = thread::spawn(move || {
            let _may_change = call.is_wanted();
            call.reply(2);
        });
        // The caller drops its call before or while the call is sent.
        drop(pending);
        sender.join().unwrap();
        let pending = numbered(1, None);
        let call = CallSender::new(&pending);
        assert!(call.is_wanted());
        drop(pending);
        assert!(!call.is_wanted());
    });
}

//! Model tests of the queue and the pending calls, in every order of events. Each waiting call is sent or returned to its
//! caller, and each caller receives its own reply.

use super::call::{CallOutcome, CallSender, PendingCall};
use super::calls::{BOUNDS, enqueue, is_idle, numbered, numbers};
use super::queue::{Entered, Queue, Worker};
use loom::future::block_on;
use loom::sync::Arc;
use loom::thread;
use std::future::poll_fn;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::time::Instant;

/// The result of a call's attempt to enter the queue.
enum Fate {
    SentDirectly,
    Waits(Arc<PendingCall>),
    Refused,
}

/// Makes one call, directly if possible and otherwise through the queue. Runs the worker if the queue returns one.
fn call(queue: &Queue, now: Instant, work: fn(Worker, Instant)) -> Fate {
    let call = numbered(0, None);
    match queue.enter(&call, || now) {
        Entered::Direct(under_way) => {
            thread::yield_now();
            drop(under_way);
            Fate::SentDirectly
        }
        Entered::Queued(worker) => {
            if let Some(worker) = worker {
                work(worker, now);
            }
            Fate::Waits(call)
        }
        Entered::Full => Fate::Refused,
    }
}

/// Whether the call was returned to its caller. Otherwise it was sent or refused.
fn is_returned(fate: &Fate) -> bool {
    let Fate::Waits(call) = fate else { return false };
    match call.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(CallOutcome::Replied(_)) => false,
        Poll::Ready(CallOutcome::NotSent) => true,
        Poll::Pending => panic!("a call was forgotten"),
    }
}

fn reply_to_all(batch: Vec<CallSender>) {
    for call in batch {
        call.reply(0);
    }
}

fn work_to_the_end(mut worker: Worker, now: Instant) {
    loop {
        let (batch, _) = worker.take(now);
        if batch.is_empty() {
            return;
        }
        reply_to_all(batch);
    }
}

/// Sends one batch and then drops the worker, like a task that is dropped with its runtime.
fn work_once(mut worker: Worker, now: Instant) {
    reply_to_all(worker.take(now).0);
}

/// Tries all orders of `number` concurrent callers. The first caller arrives at the start, and the other callers arrive `delay`
/// later.
fn callers(number: usize, delay: Duration, work: fn(Worker, Instant), may_return: bool) {
    let (start, mut model) = (Instant::now(), loom::model::Builder::new());
    model.preemption_bound = Some(3);
    model.check(move || {
        let queue = Queue::new(BOUNDS);
        let calling: Vec<_> = (1..number)
            .map(|_| {
                let queue = queue.clone();
                thread::spawn(move || call(&queue, start + delay, work))
            })
            .collect();
        let mut fates = vec![call(&queue, start, work)];
        fates.extend(calling.into_iter().map(|caller| caller.join().unwrap()));
        let returned = fates.iter().filter(|fate| is_returned(fate)).count();
        assert!(returned == 0 || may_return, "{returned} returned");
        assert!(is_idle(&queue));
    });
}

#[test]
fn each_waiting_call_is_sent() {
    callers(3, Duration::ZERO, work_to_the_end, false);
}

#[test]
fn several_workers_send_each_call_once() {
    callers(3, BOUNDS.add_worker_after, work_to_the_end, false);
}

#[test]
fn the_calls_of_a_dropped_worker_return() {
    callers(3, Duration::ZERO, work_once, true);
    callers(3, BOUNDS.add_worker_after, work_once, true);
}

#[test]
fn a_direct_call_that_is_never_polled_again_delays_no_other() {
    loom::model(|| {
        let queue = Queue::new(BOUNDS);
        let start = Instant::now();
        let [direct, one, two] = [0, 1, 2].map(|number| numbered(number, None));
        let forgotten = queue.enter(&direct, || start);
        assert!(matches!(forgotten, Entered::Direct(_)));
        let mut first = enqueue(&queue, &one, start).unwrap();
        let another = enqueue(&queue, &two, start);
        // The caller drops this call.
        drop(one);
        assert_eq!(numbers(&first.take(start).0), [2]);
        assert!(first.take(start).0.is_empty());
        assert!(another.is_some_and(|mut another| another.take(start).0.is_empty()));
        // The direct call is no longer in flight, because its reply arrived before the other replies.
        assert!(is_idle(&queue));
        drop(forgotten);
    });
}

#[test]
fn a_full_queue_refuses_calls() {
    loom::model(|| {
        let (queue, start) = (Queue::new(BOUNDS), Instant::now());
        let calls = [0, 1, 2, 3].map(|number| numbered(number, None));
        let _under_way = queue.enter(&numbered(0, None), || start);
        let _workers = [1, 2].map(|call| enqueue(&queue, &calls[call], start).unwrap());
        assert!(enqueue(&queue, &calls[3], start).is_none());
        assert!(matches!(queue.enter(&calls[0], || start), Entered::Full));
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

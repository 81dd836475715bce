//! Model tests of the queue and the pending calls, in every order of events: each waiting call is sent or returned to its
//! caller, and each caller receives its own reply.

use super::calls::{BOUNDS, Numbered, enqueue, is_idle, numbered, numbers};
use super::deadlines::Queued;
use super::pending::{CallOutcome, PendingItem, Sender};
use super::queue::{Entered, Queue, Worker};
use loom::future::block_on;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;
use tokio::time::Instant;

/// Counts what became of the calls.
struct Fates {
    sent: AtomicUsize,
    returned: AtomicUsize,
    full: AtomicUsize,
}

/// A waiting call. If it is dropped without being sent, it has returned to its caller.
struct Call {
    fates: Arc<Fates>,
    is_sent: bool,
}

impl Call {
    fn sent(mut self) {
        self.is_sent = true;
    }
}

/// No deadline.
impl Queued for Call {
    fn is_wanted(&self) -> bool {
        true
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn set_watched(&self, watched: bool) -> Option<Waker> {
        assert!(!watched);
        None
    }

    fn set_overdue(&self) -> Option<Waker> {
        unreachable!("the call has no deadline")
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let fate = if self.is_sent { &self.fates.sent } else { &self.fates.returned };
        fate.fetch_add(1, Ordering::Relaxed);
    }
}

/// Makes one call: directly if possible, else in the queue. Runs the worker if the queue returns one.
fn call(queue: &Queue<Call>, fates: &Arc<Fates>, now: Instant, work: fn(Worker<Call>, Instant)) {
    match queue.enter(|| Call { fates: Arc::clone(fates), is_sent: false }, || now) {
        Entered::Direct(under_way) => {
            thread::yield_now();
            fates.sent.fetch_add(1, Ordering::Relaxed);
            drop(under_way);
        }
        Entered::Queued(Some(worker)) => work(worker, now),
        Entered::Queued(None) => {}
        Entered::Full => {
            fates.full.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn work_to_the_end(mut worker: Worker<Call>, now: Instant) {
    loop {
        let (batch, _) = worker.take(now);
        if batch.is_empty() {
            return;
        }
        batch.into_iter().for_each(Call::sent);
    }
}

/// Sends one batch, like a task that is dropped with its runtime.
fn work_once(mut worker: Worker<Call>, now: Instant) {
    worker.take(now).0.into_iter().for_each(Call::sent);
}

/// Tries all orders of `number` simultaneous callers, who come `delay` after the last batch.
fn callers(number: usize, delay: Duration, work: fn(Worker<Call>, Instant), may_return: bool) {
    let (start, mut model) = (Instant::now(), loom::model::Builder::new());
    model.preemption_bound = Some(3);
    model.check(move || {
        let queue = Queue::new(BOUNDS);
        let fates = Arc::new(Fates {
            sent: AtomicUsize::new(0),
            returned: AtomicUsize::new(0),
            full: AtomicUsize::new(0),
        });
        let calling: Vec<_> = (1..number)
            .map(|_| {
                let (queue, fates) = (queue.clone(), Arc::clone(&fates));
                thread::spawn(move || call(&queue, &fates, start + delay, work))
            })
            .collect();
        call(&queue, &fates, start, work);
        for caller in calling {
            caller.join().unwrap();
        }
        let [sent, returned, full] =
            [&fates.sent, &fates.returned, &fates.full].map(|n| n.load(Ordering::Relaxed));
        assert_eq!(sent + returned + full, number, "{sent} sent, {returned} returned, {full} refused");
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
        let forgotten = queue.enter(|| Sender::new(&direct), || start);
        assert!(matches!(forgotten, Entered::Direct(_)));
        let mut first = enqueue(&queue, Sender::new(&one), start).unwrap();
        let another = enqueue(&queue, Sender::new(&two), start);
        // The caller of this call gives up.
        drop(one);
        assert_eq!(numbers(&first.take(start).0), [2]);
        assert!(first.take(start).0.is_empty());
        assert!(another.is_some_and(|mut another| another.take(start).0.is_empty()));
        // The reply to this call arrived before the other replies.
        assert!(is_idle(&queue));
        drop(forgotten);
    });
}

#[test]
fn a_full_queue_refuses_calls() {
    loom::model(|| {
        let (queue, start) = (Queue::<Numbered>::new(BOUNDS), Instant::now());
        let calls = [0, 1, 2, 3].map(|number| numbered(number, None));
        let _under_way = queue.enter(|| unreachable!("nothing is under way"), || start);
        let _workers = [1, 2].map(|call| enqueue(&queue, Sender::new(&calls[call]), start).unwrap());
        assert!(enqueue(&queue, Sender::new(&calls[3]), start).is_none());
        assert!(matches!(queue.enter(|| unreachable!("the queue is not full"), || start), Entered::Full));
    });
}

#[test]
fn a_waiting_caller_receives_its_reply() {
    loom::model(|| {
        let pending = PendingItem::new("request");
        let call = Sender::new(&pending);
        let sender = thread::spawn(move || {
            assert_eq!(call.item(), Some(&"request"));
            call.reply("reply");
        });
        let outcome = block_on(poll_fn(|context| pending.poll(context)));
        assert!(matches!(outcome, CallOutcome::Replied("reply")));
        sender.join().unwrap();
    });
}

#[test]
fn a_caller_learns_that_its_request_was_not_sent() {
    loom::model(|| {
        let pending = PendingItem::<_, ()>::new("request");
        let call = Sender::new(&pending);
        let sender = thread::spawn(move || drop(call));
        assert!(matches!(block_on(poll_fn(|context| pending.poll(context))), CallOutcome::NotSent));
        sender.join().unwrap();
    });
}

#[test]
fn a_call_whose_caller_has_given_up_is_not_wanted() {
    loom::model(|| {
        let pending = PendingItem::<_, ()>::new("request");
        let call = Sender::new(&pending);
        let sender = thread::spawn(move || {
            let _may_change = call.is_wanted();
            call.reply(());
        });
        // The caller gives up while or before its call is sent.
        drop(pending);
        sender.join().unwrap();
        let pending = PendingItem::<_, ()>::new("request");
        let call = Sender::new(&pending);
        assert!(call.is_wanted());
        drop(pending);
        assert!(!call.is_wanted());
    });
}

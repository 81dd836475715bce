//! Model tests of the queue and the pending calls, in every order of events: each waiting call is sent or returned to its
//! caller, and each caller receives its own reply.

use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;
use std::sync::Arc;
use std::time::{Duration, Instant};

mod sync {
    pub(super) use loom::sync::{Arc, Mutex, MutexGuard};
    pub(super) use std::sync::PoisonError;
}

#[path = "../../../ratelimit-runtime/src/store/redis/waiting/queue.rs"]
mod queue;

#[path = "../../../ratelimit-runtime/src/store/redis/waiting/pending.rs"]
mod pending;

use pending::{CallOutcome, Pending, Receiver, Sender};
use queue::{Bounds, Entered, Queue, Worker};

const BOUNDS: Bounds = Bounds { waiting: 3, batch: 2, workers: 2, add_worker_after: Duration::from_secs(1) };

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

/// Returns whether nothing is under way.
fn is_idle<T>(queue: &Queue<T>) -> bool {
    matches!(queue.enter(|| unreachable!("something is under way"), Instant::now), Entered::Direct(_))
}

/// Adds an item to the queue. Returns the worker, if the queue needs one.
fn enqueue<T>(queue: &Queue<T>, item: T, now: Instant) -> Option<Worker<T>> {
    match queue.enter(|| item, || now) {
        Entered::Queued(worker) => worker,
        Entered::Direct(_) => panic!("nothing is under way"),
        Entered::Full => panic!("the queue is full"),
    }
}

fn work_to_the_end(mut worker: Worker<Call>, now: Instant) {
    loop {
        let batch = worker.take(|_| true, now);
        if batch.is_empty() {
            return;
        }
        batch.into_iter().for_each(Call::sent);
    }
}

/// Sends one batch, like a task that is dropped with its runtime.
fn work_once(mut worker: Worker<Call>, now: Instant) {
    worker.take(|_| true, now).into_iter().for_each(Call::sent);
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
        let forgotten = queue.enter(|| 0, || start);
        assert!(matches!(forgotten, Entered::Direct(_)));
        let mut first = enqueue(&queue, 1, start).unwrap();
        let another = enqueue(&queue, 2, start);
        assert_eq!(first.take(|call| *call != 1, start), [2]);
        assert!(first.take(|_| true, start).is_empty());
        assert!(another.is_some_and(|mut another| another.take(|_| true, start).is_empty()));
        // Its reply arrived before those of the others.
        assert!(is_idle(&queue));
        drop(forgotten);
    });
}

#[test]
fn a_full_queue_refuses_calls() {
    loom::model(|| {
        let (queue, start) = (Queue::new(BOUNDS), Instant::now());
        let _under_way = queue.enter(|| 0, || start);
        let _workers = [1, 2].map(|call| enqueue(&queue, call, start).unwrap());
        assert!(enqueue(&queue, 3, start).is_none());
        assert!(matches!(queue.enter(|| unreachable!("the queue is not full"), || start), Entered::Full));
    });
}

#[test]
fn a_waiting_caller_receives_its_reply() {
    loom::model(|| {
        let pending = Pending::new("request");
        let call = Sender::new(&pending);
        let sender = thread::spawn(move || {
            assert_eq!(call.item(), Some(&"request"));
            call.reply("reply");
        });
        let outcome = loom::future::block_on(Receiver(&pending));
        assert!(matches!(outcome, CallOutcome::Replied("reply")));
        sender.join().unwrap();
    });
}

#[test]
fn a_caller_learns_that_its_request_was_not_sent() {
    loom::model(|| {
        let pending = Pending::<_, ()>::new("request");
        let call = Sender::new(&pending);
        let sender = thread::spawn(move || drop(call));
        assert!(matches!(loom::future::block_on(Receiver(&pending)), CallOutcome::NotSent));
        sender.join().unwrap();
    });
}

#[test]
fn a_call_whose_caller_has_given_up_is_not_wanted() {
    loom::model(|| {
        let pending = Pending::<_, ()>::new("request");
        let call = Sender::new(&pending);
        let sender = thread::spawn(move || {
            let _may_change = call.is_wanted();
            call.reply(());
        });
        // The caller gives up while or before its call is sent.
        drop(pending);
        sender.join().unwrap();
        let pending = Pending::<_, ()>::new("request");
        let call = Sender::new(&pending);
        assert!(call.is_wanted());
        drop(pending);
        assert!(!call.is_wanted());
    });
}

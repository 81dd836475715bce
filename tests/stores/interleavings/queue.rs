//! The queue of calls in every order of events (loom): each waiting call is taken or comes back, whichever callers
//! leave, and each caller receives its own reply.

use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;
use std::sync::Arc;
use std::time::{Duration, Instant};

mod sync {
    pub(super) use loom::sync::{Arc, Mutex, MutexGuard};
    pub(super) use std::sync::PoisonError;
}

#[path = "../../../ratelimit-runtime/src/store/redis/gate.rs"]
mod gate;

#[path = "../../../ratelimit-runtime/src/store/redis/seat.rs"]
mod seat;

use gate::{Bounds, Driver, Entered, Gate};
use seat::{Answer, Caller, Seat, Waiting};

const BOUNDS: Bounds = Bounds { waiting: 3, batch: 2, drivers: 2, pause: Duration::from_secs(1) };

/// The number of calls with each outcome.
struct Fates {
    taken: AtomicUsize,
    back: AtomicUsize,
    full: AtomicUsize,
}

/// A waiting call. If it is dropped without being taken, it has come back.
struct Call {
    fates: Arc<Fates>,
    is_taken: bool,
}

impl Call {
    fn taken(mut self) {
        self.is_taken = true;
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let fate = if self.is_taken { &self.fates.taken } else { &self.fates.back };
        fate.fetch_add(1, Ordering::Relaxed);
    }
}

/// One caller: sends its call alone if it can. Otherwise it queues the call, and drives the queue if it is told to.
fn call(gate: &Gate<Call>, fates: &Arc<Fates>, now: Instant, drive: fn(Driver<Call>, Instant)) {
    match gate.enter(|| Call { fates: Arc::clone(fates), is_taken: false }, || now) {
        Entered::Alone(alone) => {
            thread::yield_now();
            fates.taken.fetch_add(1, Ordering::Relaxed);
            drop(alone);
        }
        Entered::Waits(Some(driver)) => drive(driver, now),
        Entered::Waits(None) => {}
        Entered::Full => {
            fates.full.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn is_alone<T>(gate: &Gate<T>) -> bool {
    matches!(gate.enter(|| unreachable!("something is under way"), Instant::now), Entered::Alone(_))
}

/// Queues a call. Returns the driver, if this caller must start one.
fn driver<T>(gate: &Gate<T>, item: T, now: Instant) -> Option<Driver<T>> {
    match gate.enter(|| item, || now) {
        Entered::Waits(driver) => driver,
        Entered::Alone(_) => panic!("nothing is under way"),
        Entered::Full => panic!("there is no room"),
    }
}

fn drive_to_the_end(mut driver: Driver<Call>, now: Instant) {
    loop {
        let batch = driver.take(|_| true, now);
        if batch.is_empty() {
            return;
        }
        batch.into_iter().for_each(Call::taken);
    }
}

/// Takes one batch, as a task does whose runtime ends.
fn drive_once(mut driver: Driver<Call>, now: Instant) {
    driver.take(|_| true, now).into_iter().for_each(Call::taken);
}

/// Checks all orders of `number` concurrent callers, which arrive `pause` after the last batch.
fn callers(number: usize, pause: Duration, drive: fn(Driver<Call>, Instant), comes_back: bool) {
    let (start, mut model) = (Instant::now(), loom::model::Builder::new());
    model.preemption_bound = Some(3);
    model.check(move || {
        let gate = Gate::new(BOUNDS);
        let fates = Arc::new(Fates {
            taken: AtomicUsize::new(0),
            back: AtomicUsize::new(0),
            full: AtomicUsize::new(0),
        });
        let calling: Vec<_> = (1..number)
            .map(|_| {
                let (gate, fates) = (gate.clone(), Arc::clone(&fates));
                thread::spawn(move || call(&gate, &fates, start + pause, drive))
            })
            .collect();
        call(&gate, &fates, start, drive);
        for caller in calling {
            caller.join().unwrap();
        }
        let [taken, back, full] = [&fates.taken, &fates.back, &fates.full].map(|n| n.load(Ordering::Relaxed));
        assert_eq!(taken + back + full, number, "{taken} taken, {back} came back, {full} had no room");
        assert!(back == 0 || comes_back, "{back} came back");
        assert!(is_alone(&gate));
    });
}

#[test]
fn whatever_waits_is_taken() {
    callers(3, Duration::ZERO, drive_to_the_end, false);
}

#[test]
fn several_drivers_take_each_call_once() {
    callers(3, BOUNDS.pause, drive_to_the_end, false);
}

#[test]
fn what_a_lost_driver_leaves_comes_back() {
    callers(3, Duration::ZERO, drive_once, true);
    callers(3, BOUNDS.pause, drive_once, true);
}

#[test]
fn a_call_that_is_never_looked_at_again_holds_up_nobody() {
    loom::model(|| {
        let gate = Gate::new(BOUNDS);
        let start = Instant::now();
        let forgotten = gate.enter(|| 0, || start);
        assert!(matches!(forgotten, Entered::Alone(_)));
        let mut first = driver(&gate, 1, start).unwrap();
        let another = driver(&gate, 2, start);
        assert_eq!(first.take(|call| *call != 1, start), [2]);
        assert!(first.take(|_| true, start).is_empty());
        assert!(another.is_some_and(|mut another| another.take(|_| true, start).is_empty()));
        // The forgotten call was answered before the others.
        assert!(is_alone(&gate));
        drop(forgotten);
    });
}

#[test]
fn there_is_room_for_so_many() {
    loom::model(|| {
        let (gate, start) = (Gate::new(BOUNDS), Instant::now());
        let _alone = gate.enter(|| 0, || start);
        let _drivers = [1, 2].map(|call| driver(&gate, call, start).unwrap());
        assert!(driver(&gate, 3, start).is_none());
        assert!(matches!(gate.enter(|| unreachable!("there is room"), || start), Entered::Full));
    });
}

#[test]
fn whoever_waits_hears_the_answer() {
    loom::model(|| {
        let seat = Seat::new("question");
        let waiting = Waiting::new(&seat);
        let sender = thread::spawn(move || {
            assert_eq!(waiting.question(), Some(&"question"));
            waiting.answer("answer");
        });
        let answer = loom::future::block_on(Caller(&seat));
        assert!(matches!(answer, Answer::Decided("answer")));
        sender.join().unwrap();
    });
}

#[test]
fn whoever_is_not_sent_hears_that() {
    loom::model(|| {
        let seat = Seat::<_, ()>::new("question");
        let waiting = Waiting::new(&seat);
        let sender = thread::spawn(move || drop(waiting));
        assert!(matches!(loom::future::block_on(Caller(&seat)), Answer::Yourself));
        sender.join().unwrap();
    });
}

#[test]
fn whoever_has_gone_is_not_wanted() {
    loom::model(|| {
        let seat = Seat::<_, ()>::new("question");
        let waiting = Waiting::new(&seat);
        let sender = thread::spawn(move || {
            let _may_change = waiting.is_wanted();
            waiting.answer(());
        });
        // The caller leaves while it waits, or before it has started to wait.
        drop(seat);
        sender.join().unwrap();
        let seat = Seat::<_, ()>::new("question");
        let waiting = Waiting::new(&seat);
        assert!(waiting.is_wanted());
        drop(seat);
        assert!(!waiting.is_wanted());
    });
}

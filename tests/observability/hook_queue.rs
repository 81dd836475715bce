//! The queue of a hook that is too slow: refusals are dropped and counted, outages have places of their own.

use crate::recorder::recorded;
use ratelimit::observe::{Hook, Kind, Refusal};
use ratelimit::store::{Adjusted, Adjustment, Decisions, Mode, Reply, Request, Store, StoreKey};
use ratelimit::{Error, ErrorKind, Limit, MemoryStore, OnError, RateLimiter};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use support::{HOUR, SECOND};

/// A hook whose refusals block until the test lets it go on.
struct Blocked {
    lines: Mutex<Vec<String>>,
    started: Sender<()>,
    goes_on: Mutex<Receiver<()>>,
}

impl Hook for Blocked {
    fn refused(&self, _: &Refusal) {
        let _ = self.started.send(());
        let _ = self.goes_on.lock().unwrap().recv();
    }

    fn outage_began(&self, error: &Error) {
        self.lines.lock().unwrap().push(format!("began: {error}"));
    }

    fn missed(&self, events: u64) {
        self.lines.lock().unwrap().push(format!("missed {events}"));
    }
}

/// A memory store that fails once it is broken.
#[derive(Clone, Default)]
struct Breakable {
    memory: Arc<MemoryStore>,
    is_broken: Arc<AtomicBool>,
}

impl Store for Breakable {
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
        if self.is_broken.load(Ordering::Relaxed) {
            return Reply::ready(Err(Error::new(ErrorKind::Unavailable, "broken")));
        }
        self.memory.decide(mode, requests)
    }

    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        self.memory.adjust(adjustments)
    }

    fn reset(&self, keys: &[StoreKey]) -> Reply<u64> {
        self.memory.reset(keys)
    }
}

#[tokio::test]
async fn a_slow_hook_delays_no_decision_and_hears_of_an_outage_in_a_flood_of_refusals() {
    let (recorded, (started, has_started), (go_on, goes_on)) = (recorded(), channel(), channel());
    let missed = || recorded.get(Kind::Counter, "ratelimit.hook.missed", &[]).whole();
    let before = missed();
    let hook = Arc::new(Blocked { lines: Mutex::default(), started, goes_on: Mutex::new(goes_on) });
    let store = Breakable::default();
    // `close` waits for five deadlines.
    let builder = RateLimiter::builder().hook(Arc::clone(&hook)).deadline(10 * SECOND);
    let limiter = builder.store(store.clone()).on_error(OnError::Allow).connect().await.unwrap();
    let closed = Limit::try_counter(0, HOUR).unwrap();
    assert!(limiter.check(&closed, "hook slow").await.is_err());
    has_started.recv().unwrap();
    // The thread holds one event, 4096 wait, and ten are too many.
    for _ in 0..4096 + 10 {
        assert!(limiter.check(&closed, "hook slow").await.is_err());
    }
    assert!(missed() - before >= 10, "{}", missed() - before);
    store.is_broken.store(true, Ordering::Relaxed);
    limiter.check(&Limit::counter(1, HOUR), "hook slow outage").await.unwrap();
    drop(go_on); // from now on, the hook does not block
    limiter.close().await;
    assert_eq!(*hook.lines.lock().unwrap(), ["missed 10", "began: broken"]);
}

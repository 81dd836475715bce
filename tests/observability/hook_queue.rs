//! The queue of a hook that is too slow: refusals are dropped and counted. Outages have separate places in the queue.

use crate::recorder::recorded;
use ratelimit::observe::{Hook, Kind, Refusal};
use ratelimit::{Error, ErrorKind, Limit, OnError, RateLimiter};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use support::{HOUR, SECOND, StubStore};

/// A hook that blocks at a refusal until the test unblocks it.
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

#[tokio::test]
async fn a_slow_hook_delays_no_decision_and_hears_of_an_outage_in_a_flood_of_refusals() {
    let (recorded, (started, has_started), (go_on, goes_on)) = (recorded(), channel(), channel());
    let missed = || recorded.get(Kind::Counter, "ratelimit.hook.missed", &[]).whole();
    let before = missed();
    let hook = Arc::new(Blocked { lines: Mutex::default(), started, goes_on: Mutex::new(goes_on) });
    let store = StubStore::failing(ErrorKind::Unavailable);
    store.set_works(true);
    // `close` waits for at most five deadlines, so a long deadline gives the hook enough time.
    let builder = RateLimiter::builder().hook(Arc::clone(&hook)).deadline(10 * SECOND);
    let limiter = builder.store(store.clone()).on_error(OnError::Allow).connect().await.unwrap();
    let closed = Limit::try_counter(0, HOUR).unwrap();
    assert!(limiter.check(&closed, "hook slow").await.is_err());
    has_started.recv().unwrap();
    // The hook's thread holds one event, and 4096 events wait. The last ten events are dropped.
    for _ in 0..4096 + 10 {
        assert!(limiter.check(&closed, "hook slow").await.is_err());
    }
    assert!(missed() - before >= 10, "{}", missed() - before);
    store.set_works(false);
    limiter.check(&Limit::counter(1, HOUR), "hook slow outage").await.unwrap();
    drop(go_on); // from now on, the hook does not block
    limiter.close().await;
    assert_eq!(*hook.lines.lock().unwrap(), ["missed 10", "began: the store fails"]);
}

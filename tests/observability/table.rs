//! Checks that the table of metrics is complete: it contains each emitted series, and each metric of the table is emitted.

use crate::recorder::recorded;
use metrics::Unit;
use ratelimit::clock::ManualClock;
use ratelimit::observe::{Hook, Kind, METRICS, Refusal};
use ratelimit::store::{Mode, Request, Store, StoreKey};
use ratelimit::{Key, Limit, MemoryStore, OnError, RateLimiter};
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use support::{HOUR, RedisServer, take_events};

/// The longest time that a step of the test may take.
const LONGEST: Duration = Duration::from_secs(60);

const SECRET: &str = "alice@example.org";

/// A hook that blocks until the test ends the block, so that its queue fills.
struct Blocked(Mutex<Receiver<()>>);

impl Hook for Blocked {
    fn refused(&self, _: &Refusal) {
        let _ = self.0.lock().unwrap().recv();
    }
}

/// Causes each event that a metric measures at least once.
async fn everything() {
    let mut server = RedisServer::start();
    let builder = || RateLimiter::builder().redis(server.url()).deadline(Duration::from_secs(2));
    let limiter = builder().connect().await.unwrap();
    let key = |name| Key::new(name).by(SECRET);
    let once = Limit::counter(1, HOUR);
    for _ in 0..3 {
        let _ = limiter.check(&once, key("table")).await; // the deny cache answers the third call
    }
    let leased = Limit::counter(1000, HOUR).lease(100);
    for _ in 0..20 {
        limiter.check(&leased, key("table leased")).await.unwrap();
    }
    let gate = Limit::concurrency(1, HOUR).wait(HOUR);
    let permit = limiter.permit(&gate, key("table gate")).await.unwrap();
    let (next, ()) = tokio::join!(limiter.permit(&gate, key("table gate")), async {
        while recorded().gauge("ratelimit.waiting", "table gate") < 1 {
            tokio::task::yield_now().await;
        }
        drop(permit);
    });
    drop(next);
    let short = Limit::concurrency(1, Duration::from_secs(1));
    let permit = limiter.permit(&short, key("table lost")).await.unwrap();
    limiter.reset(&short, key("table lost")).await.unwrap();
    permit.lost().await;
    // These calls arrive together.
    let many = Limit::counter(1000, HOUR);
    let calls = (0..20).map(|_| {
        let limiter = limiter.clone();
        tokio::spawn(async move { limiter.check(&many, Key::new("table many").by(SECRET)).await })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap().unwrap();
    }
    limiter.close().await;
    let (go_on, goes_on) = channel();
    let hooked = RateLimiter::builder().hook(Blocked(Mutex::new(goes_on))).connect().await.unwrap();
    for _ in 0..5000 {
        let _ = hooked.check(&Limit::try_counter(0, HOUR).unwrap(), key("table hook")).await;
    }
    drop(go_on);
    forget_in_memory();
    let failing = builder().on_error(OnError::Deny).connect().await.unwrap();
    server.kill();
    // The first calls fail because the connection breaks. Later calls fail because the attempts to reconnect fail.
    let start = Instant::now();
    while recorded().get(Kind::Gauge, "ratelimit.store.breaker.open", &[]).changes == 0 {
        assert!(start.elapsed() < LONGEST, "the circuit breaker stays closed");
        assert!(failing.check(&once, key("table outage")).await.is_err());
    }
}

/// A full memory store counts the keys that it forgets, and logs this only once.
fn forget_in_memory() {
    drop(take_events());
    let store = MemoryStore::with_clock(ManualClock::new()).with_max_keys(100);
    for key in 0..300_u32 {
        let request = Request::new(StoreKey::new(&key.to_be_bytes()), Limit::counter(2, HOUR), 1);
        drop(store.decide(Mode::Check, &[&request]));
    }
    assert!(store.evictions() >= 200);
    let forgotten = recorded().get(Kind::Counter, "ratelimit.memory.evictions", &[]).whole();
    assert_eq!(u64::try_from(forgotten).unwrap(), store.evictions());
    let events: Vec<String> = take_events().iter().map(ToString::to_string).collect();
    assert_eq!(
        events.iter().filter(|event| event.contains("a memory store is full")).count(),
        1,
        "{events:?}"
    );
}

#[tokio::test]
async fn the_table_is_what_is_emitted() {
    let recorded = recorded();
    tokio::time::timeout(LONGEST, everything()).await.unwrap();
    let row = |kind: Kind, name: &str, labels: &[String]| format!("{kind:?} {name} {labels:?}");
    let table: BTreeSet<String> = METRICS
        .iter()
        .map(|metric| {
            row(metric.kind, metric.name, &metric.labels.iter().map(ToString::to_string).collect::<Vec<_>>())
        })
        .collect();
    let emitted: BTreeSet<String> =
        recorded.emitted().iter().map(|(kind, name, labels)| row(*kind, name, labels)).collect();
    assert_eq!(emitted, table);
    for metric in METRICS {
        let (kind, unit, text) = recorded.described(metric.name).unwrap();
        assert_eq!((kind, text.as_str()), (metric.kind, metric.description), "{}", metric.name);
        assert_eq!(unit == Some(Unit::Seconds), metric.unit == "s", "{}", metric.name);
    }
    assert!(!recorded.values().iter().any(|value| value.contains("alice")), "no identity is in a label");
}

#[test]
fn names_and_units_follow_opentelemetry() {
    for metric in METRICS {
        let is_word =
            |word: &str| !word.is_empty() && word.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'_'));
        assert!(
            metric.name.starts_with("ratelimit.") && metric.name.split('.').all(is_word),
            "{}",
            metric.name
        );
        let annotation = metric.unit.strip_prefix('{').and_then(|unit| unit.strip_suffix('}'));
        assert!(metric.unit == "s" || annotation.is_some_and(is_word), "{}", metric.name);
        assert!(metric.labels.iter().all(|label| label.split('.').all(is_word)), "{}", metric.name);
    }
}

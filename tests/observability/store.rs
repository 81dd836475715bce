//! The metrics of stores have no label for the limit. The test is a separate process that runs its parts one after another,
//! so that nothing else changes the same series.
#![expect(clippy::unwrap_used, reason = "in helpers of tests: a panic is a failed test")]

#[expect(dead_code, reason = "the other tests use all of it")]
mod recorder;

use ratelimit::clock::TokioClock;
use ratelimit::observe::{Hook, Kind};
use ratelimit::{Error, ErrorKind, Limit, MemoryStore, OnError, RateLimiter, Rejection, rate_limit};
use recorder::{Series, recorded};
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;
use support::{HOUR, SECOND, StubStore, take_events};

const DEADLINE: Duration = Duration::from_millis(50);

fn errors(kind: &str) -> i64 {
    recorded().get(Kind::Counter, "ratelimit.store.errors", &[("error.type", kind)]).whole()
}

fn durations() -> Series {
    recorded().get(Kind::Histogram, "ratelimit.decision.duration", &[])
}

#[tokio::test(start_paused = true)]
async fn the_series_of_stores_have_exact_values() {
    let _ = recorded();
    each_decision_that_the_store_cannot_make_is_an_error().await;
    a_missed_deadline_is_measured_and_is_an_error_of_its_own_kind().await;
    an_outage_that_only_shadow_limits_meet_is_seen().await;
    a_wrong_setup_that_only_shadow_limits_meet_is_logged().await;
    pauses_that_cannot_be_stored_are_logged_once_for_an_outage().await;
    leased_calls_count_once_and_unused_units_are_seen().await;
}

async fn each_decision_that_the_store_cannot_make_is_an_error() {
    let once = Limit::counter(1, HOUR);
    for policy in [OnError::Allow, OnError::Deny, OnError::Local] {
        let builder = RateLimiter::builder().store(StubStore::failing(ErrorKind::Unavailable));
        let limiter = builder.on_error(policy).connect().await.unwrap();
        for _ in 0..3 {
            let _ = limiter.check(&once, "check").await;
            let _ = limiter.charge(&once, "charge", 1).await.map(drop);
        }
    }
    assert_eq!((errors("unavailable"), durations().changes), (18, 0));
}

async fn a_missed_deadline_is_measured_and_is_an_error_of_its_own_kind() {
    let builder = RateLimiter::builder().store(StubStore::silent()).deadline(DEADLINE);
    let limiter = builder.on_error(OnError::Deny).connect().await.unwrap();
    assert!(limiter.check(&Limit::counter(1, HOUR), "too late").await.is_err());
    assert_eq!(recorded().outcomes("too late"), "policy_denied 1");
    let waited = durations();
    assert_eq!((errors("timeout"), waited.changes), (1, 1));
    assert!((0.05..0.06).contains(&waited.sum), "the deadline was waited for: {}", waited.sum);
}

#[rate_limit(key = "trial", time = "1h", count = 1, shadow = true)]
async fn trial() {}

async fn an_outage_that_only_shadow_limits_meet_is_seen() {
    struct Alert(Mutex<Sender<String>>);

    impl Hook for Alert {
        fn outage_began(&self, error: &Error) {
            self.0.lock().unwrap().send(format!("began: {error}")).unwrap();
        }

        fn outage_ended(&self, _: Duration) {
            self.0.lock().unwrap().send("ended".to_owned()).unwrap();
        }
    }

    let (before, times) = (errors("timeout"), durations().changes);
    let (alerts, heard) = channel();
    let store = StubStore::silent();
    let builder = RateLimiter::builder().store(store.clone()).hook(Alert(Mutex::new(alerts)));
    let limiter = builder.deadline(DEADLINE).connect().await.unwrap();
    let _ = take_events();
    for _ in 0..2 {
        ratelimit::scope(limiter.clone(), trial()).await;
    }
    assert_eq!((errors("timeout") - before, durations().changes - times), (2, 2));
    assert_eq!(recorded().outcomes("trial/shadow"), "shadow_undecided 2");
    let heard = || heard.recv_timeout(Duration::from_secs(10)).unwrap();
    assert!(heard().starts_with("began: the store did not reply"));

    store.set_works(true);
    tokio::time::advance(2 * SECOND).await;
    ratelimit::scope(limiter.clone(), trial()).await;
    assert_eq!(heard(), "ended");
    let events = take_events();
    let lines: Vec<String> = events
        .iter()
        .map(|event| format!("{} {event}", event.target))
        .filter(|line| !line.contains("DEBUG"))
        .collect();
    assert_eq!(lines.len(), 2, "{lines:#?}");
    assert!(lines[0].starts_with("ratelimit::outage WARN") && lines[0].contains("the store is unavailable"));
    assert!(lines[1].starts_with("ratelimit::outage INFO") && lines[1].contains("available again"));
}

#[rate_limit(key = "partner", time = "1h", count = 9, by = at, pause_if = |_| Some(HOUR))]
async fn breaks(store: &StubStore, at: u32) -> Result<(), Rejection> {
    store.set_works(false);
    Ok(())
}

async fn pauses_that_cannot_be_stored_are_logged_once_for_an_outage() {
    let store = StubStore::failing(ErrorKind::Unavailable);
    let limiter = RateLimiter::builder().store(store.clone()).connect().await.unwrap();
    let _ = take_events();
    for outage in 0..2 {
        for at in [2 * outage, 2 * outage + 1] {
            store.set_works(true);
            ratelimit::scope(limiter.clone(), breaks(&store, at)).await.unwrap();
        }
        store.set_works(true);
        tokio::time::sleep(SECOND).await;
        for at in [2 * outage, 2 * outage + 1] {
            let refused = ratelimit::scope(limiter.clone(), breaks(&store, at)).await.unwrap_err();
            assert!(refused.retry_after() > Some(HOUR / 2), "the pause is stored");
        }
        let events = take_events();
        let logged = events.iter().map(|event| format!("{} {event}", event.target));
        let warns = |line: &String| {
            line.starts_with("ratelimit::outage WARN") && line.contains("cannot store a pause")
        };
        assert_eq!(logged.filter(warns).count(), 1, "{events:#?}");
    }
}

async fn a_wrong_setup_that_only_shadow_limits_meet_is_logged() {
    let builder = RateLimiter::builder().store(StubStore::failing(ErrorKind::Configuration));
    let limiter = builder.connect().await.unwrap();
    let _ = take_events();
    for _ in 0..2 {
        ratelimit::scope(limiter.clone(), trial()).await;
    }
    let events = take_events();
    let lines: Vec<String> = events.iter().map(|event| format!("{} {event}", event.target)).collect();
    assert_eq!(lines.len(), 1, "{lines:#?}");
    let expected = [
        "ratelimit::errors ERROR",
        "cannot decide about a shadow limit",
        "limit=trial/shadow",
        "the store fails",
    ];
    assert!(expected.iter().all(|part| lines[0].contains(part)), "{lines:#?}");
    assert_eq!(errors("configuration"), 2);
}

async fn leased_calls_count_once_and_unused_units_are_seen() {
    let store = MemoryStore::with_clock(TokioClock::new());
    let limiter = RateLimiter::builder().store(store).connect().await.unwrap();
    let limit = Limit::counter(1000, HOUR).lease(100);
    let unused = || recorded().get(Kind::Gauge, "ratelimit.lease.unused", &[]).whole();
    let mut most = 0;
    for _ in 0..1200 {
        let _ = limiter.check(&limit, "leased").await;
        tokio::time::sleep(Duration::from_millis(1)).await;
        most = most.max(unused());
    }
    assert_eq!(recorded().outcomes("leased"), "allowed 1000, limited 200");
    assert!((1..=100).contains(&most), "{most} units were on lease");
    limiter.close().await;
    assert_eq!(unused(), 0, "closing returns them");
}

//! Tests of the snapshot of the overrides and of the watch for changes.

use super::*;
use crate::limiter::{OnError, OverrideEffect, OverrideTarget};
use crate::proxies::Proxies;
use crate::store::{Adjusted, Adjustment, Decisions, Mode, Request, Store};

const SECOND: Duration = Duration::from_secs(1);

fn overridden(version: u64, entries: &[(&str, &str)]) -> Overridden {
    let entries = entries.iter().map(|(field, text)| (field.as_bytes().to_vec(), (*text).to_owned(), None));
    Overridden { version, entries: entries.collect() }
}

#[test]
fn an_override_keeps_its_effect_while_it_does_not_change() {
    let snapshot = Snapshot::default();
    let entry = |field: &str| Arc::clone(&snapshot.entries()[field.as_bytes()]);
    let limiter = RateLimiter::in_memory();
    let key = crate::key::render("a", limiter.keys()).unwrap();
    snapshot.replace(overridden(1, &[("name:a", "burst=7")]));
    assert_eq!(
        snapshot.apply("a", crate::key::Name::new("a").group(), &key, &Limit::counter(5, SECOND)),
        Some(Limit::counter(5, SECOND))
    );
    let before = entry("name:a");
    snapshot.replace(overridden(2, &[("name:a", "burst=7"), ("name:b", "count=1")]));
    assert!(Arc::ptr_eq(&before, &entry("name:a")), "its warning is not repeated");
    snapshot.replace(overridden(3, &[("name:a", "burst=8")]));
    assert!(!Arc::ptr_eq(&before, &entry("name:a")));
}

#[tokio::test(start_paused = true)]
async fn an_override_that_expires_ends_by_itself() {
    let limiter = RateLimiter::in_memory();
    let limit = Limit::counter(5, SECOND);
    let capacity = async || limiter.peek(&limit, "a").await.unwrap().capacity();
    limiter.overrides().set_for("a", LimitChange::new().count(2), SECOND * 60).await.unwrap();
    assert_eq!(capacity().await, 2);
    assert_eq!(limiter.overrides().list().await.unwrap()[0].expires_in(), Some(SECOND * 60));
    tokio::time::advance(SECOND * 59).await;
    assert_eq!(capacity().await, 2);
    assert_eq!(limiter.overrides().list().await.unwrap()[0].expires_in(), Some(SECOND));
    tokio::time::advance(SECOND).await;
    assert_eq!(capacity().await, 5);
    assert_eq!(limiter.overrides().list().await.unwrap(), []);
    assert_eq!(limiter.overrides().get("a").await.unwrap(), None);
    for time in [Duration::from_millis(999), SECOND * 86_400 * 367] {
        let error = limiter.overrides().set_for("a", LimitChange::new().count(2), time).await.unwrap_err();
        assert!(error.to_string().contains("from 1 s to 366 days"), "{error}");
    }
}

/// A store that replies only to requests for overrides. `connected` says whether it is connected.
#[derive(Clone, Default)]
struct Remote {
    connected: Arc<AtomicBool>,
    asked: Arc<AtomicU64>,
}

impl Store for Remote {
    fn decide(&self, _: Mode, _: &[&Request]) -> Reply<Decisions> {
        Reply::pending(std::future::pending())
    }

    fn adjust(&self, _: &[Adjustment]) -> Reply<Adjusted> {
        Reply::pending(std::future::pending())
    }

    fn reset(&self, _: &[StoreKey]) -> Reply<u64> {
        Reply::pending(std::future::pending())
    }

    fn is_connected(&self) -> bool {
        self.connected.load(Ordering::Relaxed)
    }

    fn load_overrides(&self, _: &StoreKey, _: u64) -> Reply<Option<Overridden>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Reply::pending(std::future::ready(Ok(None)))
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_without_a_connection_is_late() {
    let remote = Remote::default();
    remote.connected.store(true, Ordering::Relaxed);
    let limiter = RateLimiter::builder().around_test_store(remote.clone(), Proxies::default());
    let _ = limiter.learn_overrides().await;
    let is_late = || limiter.shared.overrides.watch.is_late(Instant::now());
    tokio::time::sleep(10 * SECOND).await;
    assert!(!is_late());
    remote.connected.store(false, Ordering::Relaxed);
    let before = remote.asked.load(Ordering::Relaxed);
    tokio::time::sleep(10 * SECOND).await;
    assert!(is_late(), "a runtime with a connection must take over");
    let asked = remote.asked.load(Ordering::Relaxed) - before;
    assert!(asked >= 10, "asked {asked} times, which would open a broken connection again");
}

/// A store that replies to nothing. If `overrides` is set, it replies to requests for overrides after this time.
struct Slow {
    overrides: Option<Duration>,
}

impl Store for Slow {
    fn decide(&self, _: Mode, _: &[&Request]) -> Reply<Decisions> {
        Reply::pending(std::future::pending())
    }

    fn adjust(&self, _: &[Adjustment]) -> Reply<Adjusted> {
        Reply::pending(std::future::pending())
    }

    fn reset(&self, _: &[StoreKey]) -> Reply<u64> {
        Reply::pending(std::future::pending())
    }

    fn load_overrides(&self, _: &StoreKey, _: u64) -> Reply<Option<Overridden>> {
        let after = self.overrides.unwrap_or(100 * SECOND);
        Reply::pending(async move {
            tokio::time::sleep(after).await;
            Ok(None)
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_first_call_has_one_deadline() {
    let (counter, permits) = (Limit::counter(5, SECOND), Limit::concurrency(5, SECOND));
    for overrides in [None, Some(SECOND / 2)] {
        let first = || {
            let builder = RateLimiter::builder().deadline(SECOND).on_error(OnError::Deny);
            builder.around_test_store(Slow { overrides }, Proxies::default())
        };
        let start = Instant::now();
        assert!(first().check(&counter, "a").await.is_err());
        assert!(first().check_all(&[(&counter, &"a", 1), (&counter, &"b", 1)]).await.is_err());
        assert!(first().acquire(&counter, "a").await.is_err());
        assert!(first().charge(&counter, "a", 1).await.is_err());
        assert!(first().permit(&permits, "a").await.is_err());
        assert!(first().peek(&counter, "a").await.is_err());
        assert!(first().penalize(&counter, "a", 1).await.is_err());
        assert!(first().reset(&counter, "a").await.is_err());
        // On the paused clock, only timers cause delays. Timers are rounded up to whole milliseconds.
        let calls = start.elapsed().as_millis();
        assert!((8000..=8016).contains(&calls), "8 calls took {calls} ms");
    }
}

#[tokio::test]
async fn an_override_that_cannot_be_read_is_listed_and_changes_nothing() {
    let (limiter, limit) = (RateLimiter::in_memory(), Limit::counter(5, SECOND));
    let save = |field: &str, text| {
        limiter.shared.store.bare().save_override(&limiter.overrides_key(), field.as_bytes(), text, None)
    };
    save("name:a", Some("cuont=5")).await.unwrap();
    save("field of others", Some("count=5")).await.unwrap();
    let list = limiter.overrides().list().await.unwrap();
    let unreadable = |reason| OverrideEffect::Unreadable { reason };
    assert_eq!(*list[0].target(), OverrideTarget::Name("a".to_owned()));
    assert_eq!(list[0].effect(), unreadable("unknown field"));
    assert_eq!(*list[1].target(), OverrideTarget::Other("field of others".to_owned()));
    assert_eq!(list[1].effect(), unreadable("it is for neither a name nor a key"));
    assert!(list.iter().all(|entry| entry.change().is_empty()));
    assert_eq!(limiter.overrides().get("a").await.unwrap(), None);
    assert_eq!(limiter.peek(&limit, "a").await.unwrap().capacity(), 5);
    for entry in &list {
        limiter.overrides().remove_target(entry.target()).await.unwrap();
    }
    assert_eq!(limiter.overrides().list().await.unwrap(), []);
}

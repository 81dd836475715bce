//! Tests of the snapshot of the overrides and of the watch for changes.

use super::*;
use crate::limiter::{OverrideEffect, OverrideTarget};
use crate::proxies::Proxies;
use crate::store::{Adjusted, Adjustment, Decisions, Mode, Request, Store};

const SECOND: Duration = Duration::from_secs(1);

fn overridden(version: u64, entries: &[(&str, &str)]) -> Overridden {
    let entries = entries.iter().map(|(field, text)| (field.as_bytes().to_vec(), (*text).to_owned()));
    Overridden { version, entries: entries.collect() }
}

#[test]
fn an_override_keeps_its_effect_while_it_does_not_change() {
    let snapshot = Snapshot::default();
    let entry = |field: &str| Arc::clone(&snapshot.entries()[field.as_bytes()]);
    let limiter = RateLimiter::in_memory();
    let key = crate::key::render("a", limiter.keys()).unwrap();
    snapshot.replace(overridden(1, &[("name:a", "burst=7")]));
    assert_eq!(snapshot.apply("a", &key, &Limit::counter(5, SECOND)), Some(Limit::counter(5, SECOND)));
    let before = entry("name:a");
    snapshot.replace(overridden(2, &[("name:a", "burst=7"), ("name:b", "count=1")]));
    assert!(Arc::ptr_eq(&before, &entry("name:a")), "its warning is not repeated");
    snapshot.replace(overridden(3, &[("name:a", "burst=8")]));
    assert!(!Arc::ptr_eq(&before, &entry("name:a")));
}

/// Replies to nothing but the search for overrides, and says whether it is connected.
struct Remote(Arc<AtomicBool>);

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
        self.0.load(Ordering::Relaxed)
    }

    fn load_overrides(&self, _: &StoreKey, _: u64) -> Reply<Option<Overridden>> {
        Reply::pending(std::future::ready(Ok(None)))
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_without_a_connection_is_late() {
    let connected = Arc::new(AtomicBool::new(true));
    let limiter =
        RateLimiter::builder().around_test_store(Remote(Arc::clone(&connected)), Proxies::default());
    limiter.learn_overrides().await;
    let is_late = || limiter.shared.overrides.watch.is_late(Instant::now());
    tokio::time::sleep(10 * SECOND).await;
    assert!(!is_late());
    connected.store(false, Ordering::Relaxed);
    tokio::time::sleep(10 * SECOND).await;
    assert!(is_late(), "a runtime with a connection must take over");
}

#[tokio::test]
async fn an_override_that_cannot_be_read_is_listed_and_changes_nothing() {
    let (limiter, limit) = (RateLimiter::in_memory(), Limit::counter(5, SECOND));
    let save = |field: &str, text| {
        limiter.shared.store.save_override(&limiter.overrides_key(), field.as_bytes(), text)
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

//! Tests of publishing limits and of reading them back.

use super::*;
use crate::key::StoreKey;
use crate::limit::Limit;
use crate::observe::registry::Source;
use crate::proxies::Proxies;
use crate::store::memory::MemoryStore;
use crate::store::{Adjusted, Adjustment, Decisions, Mode, Reply, Request, Store};

const NOW: u64 = 1_795_347_401;
const MINUTE: Duration = Duration::from_secs(60);

fn met(name: &str, count: u32) -> KnownLimit {
    let text = format!("seen={NOW} counter count={count} time=1m");
    KnownLimit::read(name, &text, NOW).unwrap()
}

fn stored(name: &str, text: &str) -> (Vec<u8>, String) {
    (name.as_bytes().to_vec(), text.to_owned())
}

fn at(minutes: u64) -> u64 {
    NOW + 60 * minutes
}

#[test]
fn a_published_limit_is_read_back() {
    let one = KnownLimit { version: Some("1.4.2".into()), varies: true, ..met("login", 5) };
    let text = format!("seen={NOW} {}", one.published());
    assert_eq!(text, "seen=1795347401 version=1.4.2 varies counter count=5 time=1m");
    let read = KnownLimit::read("login", &text, at(2)).unwrap();
    assert_eq!((read.name(), *read.in_code()), ("login", Limit::counter(5, MINUTE)));
    assert_eq!((read.service_version(), read.varies(), read.age()), (Some("1.4.2"), true, 2 * MINUTE));
    assert_eq!(KnownLimit::read("login", &text, NOW - 5).unwrap().age(), Duration::ZERO, "a clock is ahead");
    let later = KnownLimit::read("login", "seen=7 later=x word counter count=5 time=1m", 7).unwrap();
    assert_eq!(*later.in_code(), Limit::counter(5, MINUTE), "a later version has more words");
    for text in [
        "",
        "x",
        "seen=7",
        "seen=x counter count=5 time=1m",
        "counter count=5 time=1m",
        "seen=7 counter count=x time=1m",
    ] {
        assert_eq!(KnownLimit::read("login", text, NOW), None, "{text}");
    }
}

#[test]
fn only_what_is_new_or_old_is_published() {
    let own = [met("login", 5)];
    let first = news(&[], &own, None, NOW);
    assert_eq!(first, [(b"login".to_vec(), Some(format!("seen={NOW} counter count=5 time=1m")))]);
    let known = [stored("login", first[0].1.as_ref().unwrap())];
    assert_eq!(news(&known, &own, None, at(4)), [], "another process has just published it");
    assert_eq!(news(&known, &own, None, at(5)).len(), 1, "it is repeated");
    assert_eq!(news(&known, &[met("login", 6)], None, NOW).len(), 1, "another limit");
    assert_eq!(
        news(&known, &[], None, at(7 * 24 * 60)),
        [(b"login".to_vec(), None)],
        "nobody has repeated it"
    );
    assert_eq!(news(&[stored("login", "foreign")], &[], None, NOW), [(b"login".to_vec(), None)]);
    let again = news(&[stored("login", "foreign")], &own, None, NOW);
    assert!(matches!(&again[..], [(_, Some(_))]), "{again:?}");
}

#[test]
fn names_are_bounded() {
    let full: Vec<_> = (0..MOST).map(|name| stored(&name.to_string(), &format!("seen={NOW} x"))).collect();
    assert_eq!(news(&full, &[met("login", 5)], None, NOW), []);
    assert_eq!(news(&full, &[], Some(7), NOW).len(), 1, "a fingerprint always has a place");
    assert_eq!(news(&full[1..], &[met("login", 5), met("search", 5)], None, NOW).len(), 1);
    assert_eq!(news(&full, &[met("7", 5)], None, NOW).len(), 1, "a name that has a place");
    assert_eq!(news(&full, &[met("login", 5)], None, at(7 * 24 * 60)).len(), MOST + 1, "old ones make room");
    assert_eq!(news(&[], &[met(&"x".repeat(LONGEST_NAME + 1), 5)], None, NOW), []);
}

/// A store that decides, and returns this error when it is asked for limits.
struct WithoutLimits(MemoryStore, ErrorKind);

impl Store for WithoutLimits {
    fn decide(&self, mode: Mode, requests: &[&Request]) -> Reply<Decisions> {
        self.0.decide(mode, requests)
    }

    fn adjust(&self, adjustments: &[Adjustment]) -> Reply<Adjusted> {
        self.0.adjust(adjustments)
    }

    fn reset(&self, keys: &[StoreKey]) -> Reply<u64> {
        self.0.reset(keys)
    }

    fn load_overrides(&self, key: &StoreKey, seen: u64) -> Reply<Option<crate::store::Overridden>> {
        self.0.load_overrides(key, seen)
    }

    fn save_override(
        &self,
        key: &StoreKey,
        entry: &[u8],
        change: Option<&str>,
        expires: Option<Duration>,
    ) -> Reply<()> {
        self.0.save_override(key, entry, change, expires)
    }

    fn load_limits(&self, _: &StoreKey) -> Reply<Vec<(Vec<u8>, String)>> {
        Reply::ready(Err(Error::new(self.1, "no limits")))
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_without_limits_changes_nothing_for_calls() {
    let any = RateLimiter::in_memory();
    crate::limiter::note("published in vain", &Limit::counter(5, MINUTE), &any, Source::default());
    for (kind, again) in [(ErrorKind::Unavailable, LEAST), (ErrorKind::Configuration, PACE)] {
        let store = WithoutLimits(MemoryStore::new(), kind);
        let limiter = RateLimiter::builder().around_test_store(store, Proxies::default());
        let mut publisher = Publisher::new();
        assert!(publisher.is_due(&limiter));
        publisher.publish(&limiter).await;
        assert!(!publisher.is_due(&limiter), "{kind:?}");
        tokio::time::sleep(again).await;
        assert!(publisher.is_due(&limiter), "{kind:?}");
        assert_eq!(limiter.published_limits().await.unwrap_err().kind(), kind);
        let count = LimitChange::new().count(2);
        limiter.overrides().set("published in vain", count).await.unwrap();
        let limit = Limit::counter(5, MINUTE);
        assert_eq!(limiter.check(&limit, "published in vain").await.unwrap().decision().capacity(), 2);
    }
}

//! `Debug` output and events show no key, no identity, and no text from the store.

use crate::harness::limiter_on;
use ratelimit::identity::{Identity, KeyWriter};
use ratelimit::overrides::OverrideEffect;
use ratelimit::store::{Adjustment, Change, Overridden, Request, StoreKey};
use ratelimit::{Key, Limit, MemoryStore, RateLimiter, RedisStore};
use std::sync::Mutex;
use support::{MINUTE, RedisServer, take_events};

/// An identity that records the `Debug` output of its key writer.
struct Caller<'c>(&'c Mutex<String>);

impl Identity for Caller<'_> {
    fn write(&self, key: &mut KeyWriter<'_>) {
        key.text("walrus");
        key.secret(b"walrus");
        *self.0.lock().unwrap() = format!("{key:?}");
    }
}

#[tokio::test]
async fn debug_shows_no_key() {
    let limiter = RateLimiter::in_memory();
    let (limit, one) = (Limit::counter(1, MINUTE), Limit::concurrency(1, MINUTE));
    let key = Key::new("login").by("walrus").part("walrus");
    let bytes = StoreKey::new(b"ratelimit:{walrus}:login:c2");
    let writer = Mutex::default();
    limiter.check(&limit, Key::new("login").by(Caller(&writer))).await.unwrap();
    limiter.overrides().set(key, &limit).await.unwrap();
    let url = "redis://walrus:walrus@localhost";
    let permit = limiter.permit(&one, key).await.unwrap();
    let shown = [
        writer.into_inner().unwrap(),
        format!("{key:?} {bytes:?}"),
        format!("{:?}", Request::new(bytes.clone(), limit, 1)),
        format!("{:?}", Adjustment::new(bytes, limit, 1, Change::Take)),
        format!(
            "{:?}",
            Overridden { version: 7, entries: vec![(b"key:walrus".to_vec(), "walrus".to_owned(), None)] }
        ),
        format!("{:?}", limiter.overrides().list().await.unwrap()),
        format!("{limiter:?} {:?} {permit:?}", limiter.overrides()),
        format!("{:?}", limiter.permit(&one, key).await.unwrap_err()),
        format!("{:?}", limiter.charge(&limit, key, 1).await.unwrap()),
        format!("{:?}", limiter.charge(&limit, key, 1).await.unwrap_err()),
        format!("{:?}", RateLimiter::builder().redis(url).hash_secret("walrus")),
        format!("{:?} {:?}", RedisStore::new(url).unwrap(), MemoryStore::new()),
    ];
    for shown in shown {
        // The secret must not appear as text or as a list of bytes.
        assert!(!shown.is_empty() && !shown.contains("walrus") && !shown.contains("119, 97"), "{shown}");
    }
}

#[tokio::test]
async fn an_unreadable_override_is_not_quoted() {
    let server = RedisServer::start();
    let limiter = limiter_on(&server).connect().await.unwrap();
    for (text, why) in [
        ("walrus", "unknown algorithm"),
        ("counter walrus", "unknown field"),
        ("counter count=walrus time=1s", "a field has a wrong value"),
        ("counter count=1 count=2 time=1s", "a field is given twice"),
        ("counter count=1", "`count` or `time` is missing"),
        ("counter count=1 time=0s", "`time` must be at least 1 ms"),
    ] {
        let mut set = redis::cmd("HSET");
        set.arg("ratelimit:{#}:overrides").arg(&["version", &text.len().to_string(), "key:walrus", text]);
        set.exec(&mut server.raw()).unwrap();
        let _ = take_events();
        let [unreadable] = &limiter.overrides().list().await.unwrap()[..] else { panic!("one override") };
        assert!(matches!(unreadable.effect(), OverrideEffect::Unreadable { .. }), "{unreadable:?}");
        assert!(!format!("{unreadable:?}").contains("walrus"), "{unreadable:?}");
        let events: Vec<String> = take_events().iter().map(ToString::to_string).collect();
        assert!(events.iter().any(|event| event.contains(why) && event.contains("ignoring")), "{events:?}");
        assert!(!events.iter().any(|event| event.contains("walrus")), "{events:?}");
    }
}

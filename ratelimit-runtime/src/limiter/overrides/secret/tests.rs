//! Tests of the fingerprints of hash secrets.

use super::*;
use crate::key::Key;
use std::time::Duration;

const NOW: u64 = 1_795_347_401;

fn settings(secret: Option<&str>) -> KeySettings {
    KeySettings::new("shop", secret.map(str::as_bytes), 64)
}

/// A published fingerprint of this age.
fn published(secret: Option<&str>, age: Duration) -> (Vec<u8>, String) {
    let seen = NOW - age.as_secs();
    (field(settings(secret).fingerprint).into_bytes(), format!("seen={seen} {TEXT}"))
}

#[test]
fn a_fingerprint_differs_for_each_secret_and_is_no_part_of_a_hash() {
    let prints = [None, Some(""), Some("walrus"), Some("walrus ")].map(|secret| settings(secret).fingerprint);
    assert_eq!(prints.iter().collect::<std::collections::BTreeSet<_>>().len(), 4, "{prints:x?}");
    assert_eq!(settings(Some("walrus")).fingerprint, prints[2], "it is the same in each process");
    let other_prefix = KeySettings::new("other", Some(b"walrus"), 64).fingerprint;
    assert_eq!(other_prefix, prints[2], "the prefix matters only without a secret");
    // What a client can let the library hash does not contain the fingerprint.
    let key = key::render(&Key::new("n").by(String::new()), &settings(Some("walrus"))).unwrap();
    assert!(!String::from_utf8_lossy(key.as_bytes()).contains(&format!("{:08x}", prints[2])));
}

#[test]
fn only_running_processes_with_another_secret_count() {
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    let stored = [
        published(Some("walrus"), minutes(1)),
        published(None, minutes(19)),
        published(Some("old"), minutes(20)),
        (b"login".to_vec(), format!("seen={NOW} counter count=5 time=1m")),
        (format!("{FIELD}xyz").into_bytes(), format!("seen={NOW} {TEXT}")),
    ];
    let found = |secret| others(&stored, &settings(secret), NOW).collect::<Vec<_>>();
    let [walrus, none] = [Some("walrus"), None].map(|secret| settings(secret).fingerprint);
    assert_eq!((found(Some("walrus")), found(None)), (vec![none], vec![walrus]));
    assert_eq!(found(Some("other")).len(), 2);
}

#[tokio::test]
async fn only_keys_with_a_hash_depend_on_the_secret() {
    let limiter = RateLimiter::in_memory();
    let (short, long) = ("x".repeat(64), "x".repeat(65));
    for (hashes, is_expected) in [
        (limiter.hashes(&"login"), false),
        (limiter.hashes(&Key::new("login").by(&short)), false),
        (limiter.hashes(&Key::new("login").by(&long)), true),
        (limiter.hashes(&Key::new("login").by(7).part(&long)), true),
    ] {
        assert_eq!(hashes, is_expected);
    }
    let overridden = limiter.overrides().get(Key::new("login").by(&long)).await;
    assert!(overridden.unwrap().is_none());
    assert!(!limiter.keys().has_hashed(), "these questions are no calls");
    let _ = limiter.store_key(Key::new("login").by(&long), crate::limit::Algorithm::Counter);
    assert!(limiter.keys().has_hashed());
}

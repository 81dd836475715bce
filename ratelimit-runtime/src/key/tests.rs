//! Tests of the text of keys: it is readable and bounded, and different keys never have the same text.

use super::*;
use crate::error::ErrorKind;
use crate::writer::KeyWriter;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

fn settings() -> KeySettings {
    KeySettings::new("shop", None, 64)
}

fn rendered(key: impl AsKey) -> String {
    String::from_utf8(completed(key).as_bytes().to_vec()).unwrap()
}

fn completed(key: impl AsKey) -> StoreKey {
    let mut builder = KeyBuilder::new(Name::new(key.name()), None);
    builder.add(&key, &settings());
    builder.complete(&settings()).unwrap();
    of_counter(&builder)
}

fn of_counter(builder: &KeyBuilder<'_>) -> StoreKey {
    let (mut key, counter) =
        (StoreKey::default(), crate::Limit::counter(1, std::time::Duration::from_secs(1)));
    builder.render(&mut key, &settings());
    builder.add_format(builder.name().summand(settings().secrets), &mut key, &counter, &settings());
    key
}

struct Silent;

impl Identity for Silent {
    fn write(&self, _: &mut KeyWriter<'_>) {}
}

struct Token(&'static str);

impl Identity for Token {
    fn write(&self, key: &mut KeyWriter<'_>) {
        key.secret(self.0.as_bytes());
    }
}

#[test]
fn keys_are_readable() {
    let address: std::net::IpAddr = [203, 0, 113, 7].into();
    assert_eq!(rendered(Key::new("login")), "shop:{login}:c2");
    assert_eq!(rendered(Key::new("login").by(address)), "shop:{203.0.113.7}:login:c2");
    assert_eq!(
        rendered(Key::new("report:{tenant.id}:{kind}").by(7).part(42).part("pdf")),
        "shop:{7}:report:<tenant.id>:<kind>=42=pdf:c2"
    );
    assert_eq!(rendered(Key::new("app::login").part("x")), "shop:{app::login=x}:c2");
}

#[test]
fn a_text_is_a_key_by_its_name() {
    assert_eq!(rendered("login"), "shop:{login}:c2");
    assert_eq!(rendered("login".to_owned()), "shop:{login}:c2");
    let mut builder = KeyBuilder::new(Name::new("login"), None);
    builder.rename(Name::new("trial"));
    assert_eq!(builder.name().as_str(), "trial");
}

#[test]
fn store_keys_are_equal_if_their_bytes_are() {
    assert!(StoreKey::new(b"a") == StoreKey::new(b"a") && StoreKey::new(b"a") != StoreKey::new(b"b"));
    let (state, key) = (RandomState::new(), |bytes: &[u8]| StoreKey::new(bytes));
    assert_eq!(state.hash_one(key(b"a")), state.hash_one(key(b"a")));
    assert_ne!(state.hash_one(key(b"a")), state.hash_one(key(b"b")), "every key has the same hash");
}

/// A key that was rendered has the hash of its values, and a copy of its bytes has the same hash.
#[test]
fn the_hash_of_a_key_is_the_hash_of_its_bytes() {
    let names = ["n", "", "a:b", "r:{kind}", "app::login/1s", "<", "long long name", "名"];
    let values = [
        "",
        "7",
        "-7",
        "a",
        "a:b",
        "}",
        "=",
        ",",
        "#",
        "al ice",
        "203.0.113.7",
        &"x".repeat(63),
        &"y".repeat(99),
    ];
    let mut hashes = HashMap::new();
    let mut same = |key: StoreKey| {
        let (bytes, hash) = (key.as_bytes().to_vec(), key.hash());
        assert_eq!(StoreKey::new(&bytes).hash(), hash, "{}", bytes.escape_ascii());
        assert_eq!(*hashes.entry(hash).or_insert_with(|| bytes.clone()), bytes);
    };
    for name in names {
        same(completed(name));
        for one in values {
            same(completed(Key::new(name).by(one)));
            same(completed(Key::new(name).part(one)));
            for other in values {
                same(completed(Key::new(name).by((one, other))));
                same(completed(Key::new(name).by(one).part(other)));
                same(completed(Key::new(name).part(one).part(other)));
                same(completed(Key::new(name).by(one).by(7).by(other).part(one).part(other)));
            }
        }
    }
    for foreign in ["", "x", ":{", "shop:{x", "shop:{x}", "shop:{a}:b:longformat", "shop:{a}:", "k0"] {
        assert_eq!(StoreKey::new(foreign.as_bytes()).hash(), StoreKey::new(foreign.as_bytes()).hash());
        same(StoreKey::new(foreign.as_bytes()));
    }
}

#[test]
fn a_key_without_its_format_is_the_key_before_it() {
    for key in [Key::new("n").by(""), Key::new("n:m").by("a:b")] {
        assert_eq!(completed(key).without_format(), render(&key, &settings()).unwrap().as_bytes());
    }
}

#[test]
fn a_key_of_values_is_the_key_that_they_make_one_by_one() {
    let none: [u8; 0] = [];
    assert_eq!(rendered(Key::of_values("n", &none, &none)), rendered(Key::new("n")));
    assert_eq!(rendered(Key::of_values("n", &none, &["x"])), rendered(Key::new("n").part("x")));
    let one_by_one = Key::new("n").by(7).by(8).part("x").part("y");
    assert_eq!(rendered(Key::of_values("n", &[7, 8], &["x", "y"])), rendered(one_by_one));
    assert_eq!(rendered(Key::of_values("n", &[7, 8], &none)), rendered(Key::new("n").by((7, 8))));
}

#[test]
fn values_cannot_change_another_part_of_the_key() {
    assert_eq!(rendered(Key::new("n").by("}:x{")), "shop:{%7d%3ax%7b}:n:c2");
    assert_eq!(rendered(Key::new("n").by("")), "shop:{%}:n:c2");
    assert_eq!(rendered(Key::new("n").by("a b\n")), "shop:{a%20b%0a}:n:c2");
    assert_eq!(rendered(Key::new("n").by("名")), "shop:{名}:n:c2");
}

#[test]
fn long_and_secret_values_are_hashed() {
    let long = "x".repeat(65);
    let key = rendered(Key::new("n").by(&long));
    assert_eq!(key.len(), "shop:{#}:n:c2".len() + 32, "{key}");
    let key = rendered(Key::new("n").by(Token("sesame")));
    assert!(!key.contains("sesame"), "{key}");
}

#[test]
fn a_displayed_value_makes_the_same_key_as_its_text() {
    struct Shown(String);
    impl Identity for Shown {
        fn write(&self, key: &mut KeyWriter<'_>) {
            // The value is written in two pieces, so that the second piece starts the hashing.
            key.display(&format_args!("{}{}", &self.0[..self.0.len() / 2], &self.0[self.0.len() / 2..]));
        }
    }
    for length in [0, 1, 63, 64, 65, 66, 500] {
        let text = "y".repeat(length);
        assert_eq!(
            rendered(Key::new("n").by(Shown(text.clone()))),
            rendered(Key::new("n").by(&text)),
            "{length}"
        );
    }
}

#[test]
fn an_absent_identity_is_an_error_and_not_a_shared_key() {
    let nobody: Option<u32> = None;
    let error = render(&Key::new("n").by(("tenant", nobody)), &settings()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::NoIdentity);
    for outcome in [
        render(&Key::new("n").by(Silent), &settings()),
        render(&Key::new("n").by(7).by(Silent), &settings()),
        render(&Key::new("n").part(Silent), &settings()),
    ] {
        assert_eq!(outcome.err().unwrap().kind(), ErrorKind::NoIdentity);
    }
    assert!(render(&Key::new("n").by(Some(7)), &settings()).is_ok());
}

/// Tries all combinations of values with special bytes, as name, identities and parts.
#[test]
fn distinct_keys_never_collide() {
    let values =
        ["", "a", "b", "ab", "a:b", "a=b", "a,b", "{a}", "}", "%", "%61", "#", "a=", "=a", ":", "c2", "<a>"];
    let names = ["", "n", "n=a", "n:a", "n:{a}", "n<a>", "n,a", "a}:n", "{a}", "{{a}}"];
    let mut seen: HashMap<String, String> = HashMap::new();
    let mut add = |what: String, key: String| {
        if let Some(other) = seen.insert(key.clone(), what.clone()) {
            panic!("{what} and {other} are both {key}");
        }
    };
    for name in names {
        add(format!("{name:?}"), rendered(Key::new(name)));
        for a in &values {
            add(format!("{name:?} by {a:?}"), rendered(Key::new(name).by(a)));
            add(format!("{name:?} part {a:?}"), rendered(Key::new(name).part(a)));
            for b in &values {
                add(format!("{name:?} by {a:?} by {b:?}"), rendered(Key::new(name).by(a).by(b)));
                add(format!("{name:?} part {a:?} part {b:?}"), rendered(Key::new(name).part(a).part(b)));
                add(format!("{name:?} by {a:?} part {b:?}"), rendered(Key::new(name).by(a).part(b)));
            }
        }
    }
}

#[test]
fn integers_are_written_as_they_display() {
    let rendered = |value: &dyn Identity| {
        let mut builder = KeyBuilder::new(Name::new("n"), None);
        value.write(&mut builder.identity(&settings()));
        String::from_utf8(builder.identities().to_vec()).unwrap()
    };
    let edges = (0..20)
        .flat_map(|digits| [10_u64.pow(digits) - 1, 10_u64.pow(digits), 7 * 10_u64.pow(digits.min(18))]);
    for number in edges.chain([12_345_678, 90_807_060_504, u64::MAX]).chain(0..100_000) {
        assert_eq!(rendered(&number), number.to_string());
        assert_eq!(rendered(&number.cast_signed()), number.cast_signed().to_string());
    }
}

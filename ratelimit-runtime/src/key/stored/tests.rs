//! Tests of keys that are read back.

use super::*;
use crate::key::{Key, KeySettings, render};
use crate::limit::Limit;
use std::time::Duration;

fn settings() -> KeySettings {
    KeySettings::new("shop:eu", None, 64)
}

fn stored(key: impl AsKey, limit: &Limit) -> Vec<u8> {
    let key = render(&key, &settings()).unwrap();
    [key.as_bytes(), b":", limit.state_format().as_bytes()].concat()
}

#[test]
fn every_key_is_read_back() {
    let values = [
        "",
        "a",
        "a:b",
        "a=b",
        "a,b",
        "{a}",
        "%",
        "%61",
        "#",
        "=a",
        "<a>",
        "名",
        " \n",
        "c2",
        &"x".repeat(65),
    ];
    let names = ["", "n", "n=a", "n:a", "n:{a}", "n<a>", "a}:n", "{{a}}", "名", "a::b/1d/shadow", "%7B"];
    let counter = Limit::counter(1, Duration::from_secs(1));
    let read = |key: Vec<u8>, name: &str| {
        let found = StoredKey::parse("shop:eu", &key)
            .unwrap_or_else(|| panic!("{:?}", key.escape_ascii().to_string()));
        assert_eq!((found.name(), found.algorithm()), (name, Some(Algorithm::Counter)));
        assert_eq!(stored(&found, &counter), key);
        (found.identities().count(), found.parts().count())
    };
    for name in names {
        assert_eq!(read(stored(Key::new(name), &counter), name), (0, 0));
        for a in &values {
            assert_eq!(read(stored(Key::new(name).by(*a), &counter), name), (1, 0));
            assert_eq!(read(stored(Key::new(name).part(*a), &counter), name), (0, 1));
            for b in &values {
                assert_eq!(read(stored(Key::new(name).by(*a).by(*b).part(*b), &counter), name), (2, 1));
            }
        }
    }
    let address: std::net::IpAddr = "2001:db8::1".parse().unwrap();
    assert_eq!(read(stored(Key::new("n").by(address), &counter), "n"), (1, 0));
}

#[test]
fn the_format_names_the_algorithm() {
    for algorithm in Algorithm::ALL {
        let key = stored("n", &Limit::any_of(algorithm));
        assert_eq!(StoredKey::parse("shop:eu", &key).unwrap().algorithm(), Some(algorithm));
    }
    let other = StoredKey::parse("p", b"p:{n}:c0").unwrap();
    assert_eq!((other.algorithm(), other.format()), (None, "c0"), "of another version");
    assert_eq!(other.with_format("c2").algorithm(), Some(Algorithm::Counter));
}

#[test]
fn other_keys_are_not_read() {
    for key in [
        "",
        "p",
        "p:",
        "p:n",
        "p:{n}",
        "p:{n}:",
        "q:{n}:c2",
        "p:q:{n}:c2",
        "p:{#}:overrides",
        "p:{#}:probe:c2",
        "p:{#12}:probe:c2",
        "p:{#}:verification:c2",
        "p:{a b}:n:c2",
        "p:{}:n:c2",
        "p:{a}:n n:c2",
        "p:{a}:n=:c2",
        "p:{%}:%6e:c2",
        "p:{a,}:n:c2",
        "p:{%zz}:n:c2",
        "p:{a}:n:c-1",
        "p:{a{b}:n:c2",
    ] {
        assert!(StoredKey::parse("p", key.as_bytes()).is_none(), "{key}");
    }
    assert!(StoredKey::parse("p", b"p:{\xff}:n:c2").is_none());
}

#[test]
fn text_that_no_key_has_is_written_as_text() {
    struct Copied(&'static str);
    impl Identity for Copied {
        fn write(&self, key: &mut KeyWriter<'_>) {
            key.written(self.0);
        }
    }
    let counter = Limit::counter(1, Duration::from_secs(1));
    for (text, same) in
        [("al%20ice", "al ice"), ("%", ""), ("100%", "100%"), ("}:x", "}:x"), ("#1", "#1"), ("", "")]
    {
        assert_eq!(
            stored(Key::new("n").by(Copied(text)), &counter),
            stored(Key::new("n").by(same), &counter),
            "{text}"
        );
    }
}

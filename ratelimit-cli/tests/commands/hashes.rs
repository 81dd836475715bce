//! Tests that an identity has the same hash in hooks, in messages, in `list`, in `top` and in `simulate`, and that `--for` finds
//! the identity by this hash.

use crate::harness::{LOGIN, LOGIN_TEXT, Ran, command, finish, keys, run, wait_for};
use ratelimit::identity::KeyWriter;
use ratelimit::observe::{Hook, Refusal};
use ratelimit::{Key, RateLimiter};
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::RedisServer;

/// A hook that collects the hashes of refused callers.
#[derive(Default)]
struct Heard(Mutex<Vec<String>>);

impl Hook for Heard {
    fn refused(&self, refusal: &Refusal) {
        self.0.lock().unwrap().push(refusal.identity().unwrap().to_string());
    }
}

struct Token(&'static str);

impl ratelimit::identity::Identity for Token {
    fn write(&self, key: &mut KeyWriter<'_>) {
        key.secret(self.0.as_bytes());
    }
}

async fn limiter(server: &RedisServer, heard: &Arc<Heard>) -> RateLimiter {
    let builder = RateLimiter::builder().redis(server.url()).hash_secret("walrus").hook(Arc::clone(heard));
    builder.deadline(Duration::from_secs(10)).connect().await.unwrap()
}

/// Runs the command with the secret of the services.
fn with_secret(server: &RedisServer, arguments: &[&str]) -> Ran {
    finish(command(&server.url(), arguments).env("RATELIMIT_HASH_SECRET", "walrus"))
}

#[tokio::test(flavor = "multi_thread")]
async fn one_identity_has_one_hash_everywhere() {
    let (server, heard) = (RedisServer::start(), Arc::new(Heard::default()));
    let limiter = limiter(&server, &heard).await;
    let address = IpAddr::from([203, 0, 113, 7]);
    for _ in 0..6 {
        let _ = limiter.check(&LOGIN, Key::new("login").by(address)).await;
    }
    limiter.check(&LOGIN, Key::new("login").by("ann")).await.unwrap();
    limiter.close().await;
    let heard = heard.0.lock().unwrap().clone();
    let [hash] = &heard[..] else { panic!("one refusal") };
    assert!(hash.starts_with('#') && hash.len() == 33, "{hash}");

    with_secret(&server, &["list"]).exits(0).says(&[hash]);
    let top = with_secret(&server, &["top", "--json", "--seconds", "2"]).exits(0);
    assert!(top.out.contains(hash) && !top.out.contains("203.0.113.7"), "{}", top.out);
    let log = "203.0.113.7 - - [22/Nov/2026:12:00:00 +0000] \"GET / HTTP/1.1\" 200 1\n".repeat(3);
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("hashes.log");
    std::fs::write(&folder, log).unwrap();
    let shadow =
        ["simulate", "counter count=5 time=1m", "--shadow", "count=1", "--log", folder.to_str().unwrap()];
    with_secret(&server, &shadow).exits(0).says(&[hash]);

    let json = with_secret(&server, &["peek", "login", "--for", hash, "--json"]).exits(0).json();
    assert_eq!(
        (&json[0]["identity"], &json[0]["found"]),
        (&hash[..].into(), &"203.0.113.7".into()),
        "{json}"
    );
    for given in [&hash[..], &hash[..9], &format!("{}…", &hash[..12])] {
        let peeked = with_secret(&server, &["peek", "login", "--for", given, "--limit", LOGIN_TEXT]).exits(0);
        let named = format!("login for {given} (203.0.113.7)\n");
        assert!(peeked.says(&["5 of 5"]).out.starts_with(&named));
    }
    with_secret(&server, &["set", "login", "--for", hash, "count=9"]).exits(0);
    wait_for("the service allows more", async || {
        limiter.peek(&LOGIN, Key::new("login").by(address)).await.unwrap().is_allowed()
    })
    .await;
    run(&server.url(), &["overrides"]).exits(0).says(&["login  203.0.113.7  count=9"]);
    with_secret(&server, &["unset", "login", "--for", hash]).exits(0).says(&["removed count=9"]);
    run(&server.url(), &["peek", "login", "--for", hash])
        .exits(1)
        .complains(&["the same RATELIMIT_HASH_SECRET"]);
    with_secret(&server, &["reset", "login", "--for", hash]).exits(0).says(&["reset counter"]);
    with_secret(&server, &["peek", "login", "--for", hash]).exits(1).complains(&["no key has an identity"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hash_in_a_key_is_the_hash_of_the_identity() {
    let (server, heard) = (RedisServer::start(), Arc::new(Heard::default()));
    let limiter = limiter(&server, &heard).await;
    for _ in 0..6 {
        let _ = limiter.check(&LOGIN, Key::new("login").by(Token("sesame"))).await;
    }
    limiter.close().await;
    let heard = heard.0.lock().unwrap().clone();
    let [hash] = &heard[..] else { panic!("one refusal") };
    assert!(keys(&server)[0].contains(&format!("{{{hash}}}")), "the key has it: {:?}", keys(&server));
    // These commands need no secret, because they do not compute a hash from the identity.
    run(&server.url(), &["list"]).exits(0).says(&[hash]);
    let peeked = run(&server.url(), &["peek", "login", "--for", hash]).exits(0).says(&["5 units in use"]);
    assert!(peeked.out.starts_with(&format!("login for {hash}\n")), "nothing else is known: {peeked:?}");
    with_secret(&server, &["peek", "login", "--for", "secret:sesame"]).exits(0).says(&["5 units in use"]);
    // A text that a caller chooses never has the hash of another value.
    assert_ne!(limiter.identity_hash(Key::new("login").by("sesame")).unwrap().unwrap().to_string(), *hash);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_value_is_reported_with_the_hash_of_its_caller() {
    let (server, heard) = (RedisServer::start(), Arc::new(Heard::default()));
    let limiter = limiter(&server, &heard).await;
    let ann = || Key::new("login").by("ann");
    limiter.check(&LOGIN, ann()).await.unwrap();
    let key = keys(&server).remove(0);
    redis::cmd("SET").arg(&key).arg("x").arg("EX").arg(100).exec(&mut server.raw()).unwrap();
    let error = limiter.check(&LOGIN, ann()).await.unwrap_err().to_string();
    let hash = limiter.identity_hash(ann()).unwrap().unwrap().to_string();
    let ratelimit::Rejection::Unavailable(unavailable) = limiter.check(&LOGIN, ann()).await.unwrap_err()
    else {
        panic!("{error}")
    };
    let error = unavailable.error().to_string();
    assert!(error.ends_with(&format!("not the state of a rate limit; the caller is {hash}")), "{error}");
    with_secret(&server, &["peek", "login", "--for", &hash])
        .exits(1)
        .complains(&["another program has written"]);
}

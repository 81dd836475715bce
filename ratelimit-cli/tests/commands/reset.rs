//! Tests which keys `reset` deletes, and which keys it leaves.

use crate::harness::{command, finish, keys, run, set, used_server};

fn count(keys: &[String], name: &str) -> usize {
    keys.iter().filter(|key| key.contains(name)).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn identities_are_reset_one_by_one() {
    let (server, _) = used_server().await;
    let before = keys(&server).len();
    run(&server.url(), &["reset", "login", "--for", "203.0.113.1", "--for", "203.0.113.77"])
        .exits(0)
        .says(&["login for 203.0.113.1: reset counter\n", "login for 203.0.113.77: nothing was in use\n"]);
    assert_eq!((keys(&server).len(), count(&keys(&server), "{203.0.113.1}")), (before - 1, 0));
    run(&server.url(), &["reset", "report:{kind}", "--for", "bob", "--part", "pdf"])
        .exits(0)
        .says(&["reset sliding_log"]);
    run(&server.url(), &["reset", "all"]).exits(0).says(&["all: reset counter"]);
    assert_eq!(keys(&server).len(), before - 3);
    let ran = run(&server.url(), &["reset", "login"]).exits(1);
    ran.complains(&["pass --for IDENTITY; for everybody, pass --all"]);
    assert_eq!(keys(&server).len(), before - 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn all_identities_need_a_confirmation() {
    let (server, _) = used_server().await;
    let before = keys(&server);
    run(&server.url(), &["reset", "login", "--all"]).exits(2).complains(&["nothing was reset", "add --yes"]);
    assert_eq!(keys(&server), before);
    run(&server.url(), &["reset", "login", "--all", "--yes", "--for", "x"]).exits(2);
    run(&server.url(), &["reset", "login", "--all", "--yes"]).exits(0).says(&["login: deleted 3 keys"]);
    assert_eq!((keys(&server).len(), count(&keys(&server), "login")), (before.len() - 3, 0));
    let ran = run(&server.url(), &["reset", "login", "--all", "--yes", "--json"]).exits(1);
    assert_eq!((&ran.json()["deleted"], &ran.json()["partial"]), (&0.into(), &false.into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pattern_resets_all_matching_names_and_says_which() {
    let (server, _) = used_server().await;
    let before = keys(&server);
    run(&server.url(), &["reset", "*l*"]).exits(1).complains(&["whose names match, add --all"]);
    run(&server.url(), &["reset", "x*", "--all", "--yes"])
        .exits(1)
        .complains(&["error: nothing was reset: no keys of `x*`; `ratelimit list` shows"]);
    assert_eq!(keys(&server), before);
    let ran = run(&server.url(), &["reset", "*l*", "--all", "--yes"]).exits(0);
    let names = "all: deleted 1 key\nlogin: deleted 3 keys\ntogether: deleted 4 keys\n";
    assert_eq!(ran.out, format!("{names}running processes may refuse calls for up to one more second\n"));
    assert_eq!(keys(&server).len(), before.len() - 4);
    let json = run(&server.url(), &["reset", "*", "--all", "--yes", "--json"]).exits(0).json();
    assert_eq!(json["names"][0], serde_json::json!({ "name": "report:{kind}", "deleted": 1 }));
    assert_eq!((&json["deleted"], keys(&server).len()), (&2.into(), 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_override_does_not_hide_a_state() {
    let (server, limiter) = used_server().await;
    set(&limiter, "login", "token_bucket count=3 time=1h").await;
    run(&server.url(), &["reset", "login", "--for", "203.0.113.1"]).exits(0).says(&["reset counter"]);
    assert_eq!(count(&keys(&server), "overrides"), 1);
}

/// A value that the library hashes.
struct Token(&'static str);

impl ratelimit::identity::Identity for Token {
    fn write(&self, key: &mut ratelimit::identity::KeyWriter<'_>) {
        key.secret(self.0.as_bytes());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_hashed_as_the_services_hash_it() {
    let (server, limiter) = used_server().await;
    limiter.check(&crate::harness::LOGIN, ratelimit::Key::new("api").by(Token("sesame"))).await.unwrap();
    let ran = finish(
        command(&server.url(), &["reset", "api", "--for", "secret:sesame"])
            .env("RATELIMIT_HASH_SECRET", "other"),
    );
    ran.exits(1);
    run(&server.url(), &["reset", "api", "--for", "secret:sesame"]).exits(0).says(&["reset counter"]);
}

//! Tests `set`, `unset` and `overrides`. This process is the service, and the command runs in another process.

use crate::harness::{LOGIN, keys, limiter, run, set, used_server, wait_for, write};
use ratelimit::Key;
use std::net::IpAddr;

#[tokio::test(flavor = "multi_thread")]
async fn a_running_service_sees_a_change_and_its_end() {
    let (server, _) = used_server().await;
    let service = limiter(&server.url()).await;
    let address = IpAddr::from([203, 0, 113, 9]);
    let capacity =
        async |address: IpAddr| service.peek(&LOGIN, Key::new("login").by(address)).await.unwrap().capacity();
    assert_eq!(capacity(address).await, 5);

    run(&server.url(), &["set", "login", "count=2", "time=1m"])
        .exits(0)
        .says(&["login: count=2 time=1m (before: no override)", "within one second"]);
    wait_for("the override is seen", async || capacity(address).await == 2).await;

    run(&server.url(), &["set", "login", "--for", "203.0.113.9", "counter count=50 time=1m"]).exits(0);
    wait_for("the override of the key is seen", async || capacity(address).await == 50).await;
    assert_eq!(capacity([203, 0, 113, 10].into()).await, 2);
    run(&server.url(), &["overrides"]).exits(0).says(&[
        "NAME   FOR          CHANGE",
        "login  everybody    count=2 time=1m",
        "login  203.0.113.9  counter count=50 time=1m",
    ]);
    let json = run(&server.url(), &["overrides", "--json"]).exits(0).json();
    assert_eq!((&json[1]["identity"], &json[1]["whole"]), (&"203.0.113.9".into(), &true.into()));

    run(&server.url(), &["unset", "login", "--for", "203.0.113.9"])
        .exits(0)
        .says(&["removed counter count=50 time=1m"]);
    wait_for("the name's override applies again", async || capacity(address).await == 2).await;
    run(&server.url(), &["unset", "login"]).exits(0);
    wait_for("the code's limit applies again", async || capacity(address).await == 5).await;
    run(&server.url(), &["unset", "login"]).exits(1).complains(&["no override of login"]);
    run(&server.url(), &["overrides"]).exits(0).says(&["no overrides"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_override_that_expires_says_when() {
    let (server, _) = used_server().await;
    let service = limiter(&server.url()).await;
    run(&server.url(), &["set", "login", "--for", "ann", "count=0", "--expires", "1h"])
        .exits(0)
        .says(&["login for ann: count=0 (refuses every call) (expires in 1 h 0 m)"]);
    let refuses = async || !service.peek(&LOGIN, Key::new("login").by("ann")).await.unwrap().is_allowed();
    wait_for("the override is seen", refuses).await;
    run(&server.url(), &["overrides"]).exits(0).says(&["count=0 (refuses every call) (expires in "]);
    let json = run(&server.url(), &["overrides", "--json"]).exits(0).json();
    assert!((3_590_000..=3_600_000).contains(&json[0]["expires_in_ms"].as_u64().unwrap()), "{json}");

    // Writes the state of an hour later, when the server's clock has passed the end.
    let field = "key:ratelimit:{ann}:login";
    let hash = "ratelimit:{#}:overrides";
    write(&server, hash, field, "count=0 until=1763000000000");
    run(&server.url(), &["overrides"]).exits(0).says(&["no overrides"]);
    let left: Option<String> = redis::cmd("HGET").arg(hash).arg(field).query(&mut server.raw()).unwrap();
    assert_eq!(left, None, "who loads the overrides removes what has expired");
    run(&server.url(), &["set", "login", "count=1", "--expires", "500ms"]).exits(2);
    run(&server.url(), &["set", "login", "count=1", "--expires", "1 h"]).exits(2).complains(&["has a space"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_count_of_zero_is_said_to_refuse_every_call() {
    let (server, _) = used_server().await;
    let service = limiter(&server.url()).await;
    for (change, closes) in
        [("count=0", true), ("count=10", false), ("token_bucket count=1 time=1s burst=0", true)]
    {
        let ran = run(&server.url(), &["set", "login", change]).exits(0);
        assert_eq!(ran.out.contains("(refuses every call)"), closes, "{ran:?}");
        let ran = run(&server.url(), &["overrides"]).exits(0);
        assert_eq!(ran.out.contains(&format!("{change} (refuses every call)")), closes, "{ran:?}");
        let json = run(&server.url(), &["set", "login", change, "--json"]).exits(0).json();
        assert_eq!(json["refuses_every_call"], closes);
        let refuses = async || {
            let decision = service.peek(&LOGIN, Key::new("login").by("new")).await.unwrap();
            !decision.is_allowed() && decision.retry_after().is_none()
        };
        wait_for("the service does what was said", async || refuses().await == closes).await;
    }
    let ran = run(&server.url(), &["set", "report:{kind}", "--for", "bob", "count=1"]).exits(0);
    ran.complains(&["add `--part KIND`"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_impossible_change_changes_nothing() {
    let (server, _) = used_server().await;
    let before = keys(&server);
    for (change, why) in [
        ("count=x", "count=x"),
        ("counter count=5", "time"),
        ("counter count=5 time=400d", "366 days"),
        ("burst=3 lease=auto wait=1s", "lease"),
        ("gredy count=5 time=1m", "algorithm"),
        ("token_bucket count=5 time=1m refill=gredy", "greedy"),
        (" ", "expected a change such as `count=50`"),
    ] {
        let ran = run(&server.url(), &["set", "login", change]).exits(2);
        assert!(ran.err.contains(why), "{change}: {}", ran.err);
    }
    run(&server.url(), &["set", "login"]).exits(2);
    run(&server.url(), &["set", "", "count=5"]).exits(2).complains(&["name of the limit is empty"]);
    assert_eq!(keys(&server), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_value_in_the_place_of_the_overrides_is_an_error() {
    let (server, _) = used_server().await;
    redis::cmd("SET").arg("ratelimit:{#}:overrides").arg("hello").exec(&mut server.raw()).unwrap();
    for arguments in [&["overrides"][..], &["set", "login", "count=5"], &["list"], &["unset", "login"]] {
        let ran = run(&server.url(), arguments).exits(3);
        ran.complains(&[
            "error: the key `ratelimit:{#}:overrides` holds a value of another program",
            "delete the key",
        ]);
    }
    let value: String = redis::cmd("GET").arg("ratelimit:{#}:overrides").query(&mut server.raw()).unwrap();
    assert_eq!(value, "hello");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_override_that_cannot_be_read_is_shown_and_can_be_removed() {
    let (server, limiter) = used_server().await;
    set(&limiter, "search", "count=5").await;
    let fields: [(&str, &[u8]); 3] =
        [("name:login", b"cuont=5"), ("name:report:{kind}", b"\xff"), ("login", b"count=5")];
    for (field, text) in fields {
        write(&server, "ratelimit:{#}:overrides", field, text);
    }
    write(&server, "ratelimit:{#}:overrides", "version", 7);
    run(&server.url(), &["overrides"]).exits(0).says(&[
        "login          everybody  unreadable: unknown field (it has no effect)",
        "login          everybody  unreadable: it is for neither a name nor a key (it has no effect)",
        "report:{kind}  everybody  unreadable: unknown algorithm (it has no effect)",
        "search         everybody  count=5",
    ]);
    let json = run(&server.url(), &["overrides", "--json"]).exits(0).json();
    assert_eq!(json.as_array().unwrap().len(), 4);
    assert!(json.as_array().unwrap().iter().any(|entry| entry["unreadable"] == "unknown field"), "{json}");
    run(&server.url(), &["doctor", "--deadline", "60000"]).exits(1).says(&[
        "PROBLEM  overrides: the override of `login` cannot be read",
        "loses 4 overrides",
        "appendonly yes",
    ]);
    run(&server.url(), &["unset", "login"]).exits(0).says(&["login: removed unreadable: unknown field"]);
    run(&server.url(), &["unset", "search"]).exits(0).says(&["search: removed count=5"]);
    assert_eq!(run(&server.url(), &["overrides", "--json"]).json().as_array().unwrap().len(), 2);
}

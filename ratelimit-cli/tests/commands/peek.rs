//! Tests the output of `peek` with and without the numbers of a limit.

use crate::harness::{LOGIN_TEXT, keys, run, used_server};

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_is_shown_and_nothing_is_taken() {
    let (server, _) = used_server().await;
    for _ in 0..2 {
        run(
            &server.url(),
            &["peek", "login", "--for", "203.0.113.2", "--for", "203.0.113.1", "--limit", LOGIN_TEXT],
        )
        .exits(0)
        .says(&[
            "login for 203.0.113.2\n  counter         ████████████░░░░░░░░  3 of 5, free in",
            "login for 203.0.113.1\n  counter         ████████████████████  5 of 5, refused for",
        ]);
    }
    let peeked =
        run(&server.url(), &["peek", "login", "--for", "203.0.113.2", "--json", "--limit", LOGIN_TEXT]);
    let state = &peeked.exits(0).json()[0]["states"][0];
    assert_eq!(
        (&state["used"], &state["remaining"], &state["allowed"]),
        (&3.into(), &2.into(), &true.into())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_numbers_only_the_state_is_shown() {
    let (server, _) = used_server().await;
    run(&server.url(), &["peek", "login", "--for", "203.0.113.2"])
        .exits(0)
        .says(&["counter         3 units in use, TTL"]);
    run(&server.url(), &["peek", "search", "--for", "al ice"])
        .exits(0)
        .says(&["token_bucket    in use, TTL", "pass --limit"]);
    run(&server.url(), &["peek", "report:{kind}", "--for", "bob", "--part", "pdf"])
        .exits(0)
        .says(&["sliding_log     2 units in use"]);
    run(&server.url(), &["peek", "all"]).exits(0).says(&["all\n  counter         1 unit in use"]);
    run(&server.url(), &["peek", "login", "--for", "nobody"]).exits(0).says(&["nothing in use"]);
    run(&server.url(), &["peek", "login", "--for", "nobody", "--limit", LOGIN_TEXT])
        .exits(0)
        .says(&["0 of 5  counter"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_identity_is_written_as_it_is_listed() {
    let (server, limiter) = used_server().await;
    let long = "x".repeat(100);
    limiter.check(&crate::harness::LOGIN, ratelimit::Key::new("long").by(("a,b", &long))).await.unwrap();
    let key = keys(&server).into_iter().find(|key| key.contains("}:long:")).unwrap();
    let listed = key.split(['{', '}']).nth(1).unwrap();
    assert!(listed.starts_with("a%2cb,#"), "{listed}");
    run(&server.url(), &["peek", "long", "--for", listed]).exits(0).says(&["1 unit in use"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_value_is_named() {
    let (server, _) = used_server().await;
    let key = keys(&server).into_iter().find(|key| key.contains("{203.0.113.3}")).unwrap();
    redis::cmd("SET").arg(&key).arg("hello").exec(&mut server.raw()).unwrap();
    let text =
        run(&server.url(), &["peek", "login", "--for", "203.0.113.3", "--for", "203.0.113.2"]).exits(1);
    text.says(&["holds a value that no limit has written", "3 units in use"]).complains(&[
        "error: another program has written to the key of login for 203.0.113.3, so",
        "`ratelimit reset`",
    ]);
    let json = run(&server.url(), &["peek", "login", "--for", "203.0.113.3", "--json"]).exits(1);
    assert_eq!(json.json()[0]["states"][0]["foreign"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_part_is_named() {
    let (server, _) = used_server().await;
    run(&server.url(), &["peek", "report:{kind}", "--for", "bob", "--part", "pdf"])
        .exits(0)
        .says(&["report:{kind} for bob, part pdf\n"]);
    for command in ["peek", "reset"] {
        let ran = run(&server.url(), &[command, "report:{kind}", "--for", "bob"]);
        ran.complains(&[
            "`report:{kind}` has placeholders; to name the limit of one value, add `--part KIND`",
        ]);
    }
}

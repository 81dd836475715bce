//! Tests users with few permissions: the permissions that each command needs, and its message about a missing permission.

use crate::harness::{LOGIN_TEXT, keys, run, used_server};
use support::RedisServer;

/// The permissions of services.
fn documented() -> Vec<String> {
    let text = include_str!("../../../lua/README.md");
    let line = text.lines().find(|line| line.contains("ACL SETUSER")).expect("a line with the rules");
    line.split_whitespace().filter(|rule| rule.starts_with('+')).map(str::to_owned).collect()
}

fn user(server: &RedisServer, rules: &[&str]) -> String {
    let mut set = redis::cmd("ACL");
    set.arg("SETUSER").arg("operator").arg(&["reset", "on", ">sesame", "~ratelimit:*"]).arg(rules);
    set.exec(&mut server.raw()).unwrap();
    format!("redis://operator:sesame@127.0.0.1:{}", server.port())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_permissions_of_services_and_two_more_are_sufficient() {
    let (server, _) = used_server().await;
    let documented = documented();
    let rules: Vec<&str> = documented.iter().map(String::as_str).chain(["+scan", "+pttl"]).collect();
    let url = user(&server, &rules);
    run(&url, &["list", "--limit", LOGIN_TEXT]).exits(0).says(&["5 of 5"]);
    run(&url, &["peek", "login", "--for", "203.0.113.2"]).exits(0).says(&["3 units"]);
    run(&url, &["set", "login", "count=5"]).exits(0);
    run(&url, &["unset", "login"]).exits(0);
    run(&url, &["reset", "login", "--all", "--yes"]).exits(0).says(&["deleted 3 keys"]);
    run(&url, &["doctor", "--deadline", "60000"])
        .exits(0)
        .says(&["not checked: the user may not run `info`", "permissions: decisions of all"]);
    let top = run(&url, &["top", "--json", "--seconds", "2"]).exits(0);
    assert_eq!(top.out.matches("\"scripts_per_second\":null").count(), 2, "a line each second: {top:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_permission_is_named() {
    let (server, _) = used_server().await;
    let before = keys(&server);
    let url = user(&server, &["+evalsha", "+eval", "+get", "+pttl", "+hget", "+hgetall"]);
    for (arguments, command) in [
        (&["list"][..], "`scan`"),
        (&["reset", "login", "--all", "--yes"], "`scan`"),
        (&["reset", "login", "--for", "203.0.113.1"], "`del`"),
        (&["set", "login", "count=5"], "`scan`"),
        (&["set", "login", "count=5", "--force"], "`hset`"),
        (&["top", "--json"], "`scan`"),
    ] {
        let ran = run(&url, arguments).exits(3).complains(&["NOPERM", command]);
        assert!(!ran.err.contains("sesame") && !ran.err.contains("operator"), "{ran:?}");
    }
    run(&url, &["doctor"]).exits(1).says(&[
        "PROBLEM  permissions: ",
        "`lua/README.md` lists",
        "NOPERM",
        "PROBLEM  clocks: the user may not run `time`",
    ]);
    assert_eq!(keys(&server), before, "nothing is changed by half");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_may_not_be_read_is_not_called_foreign() {
    let (server, _) = used_server().await;
    // The user may read sliding logs, but not counters.
    let reading = ["+scan", "+pttl", "+evalsha", "+eval", "+time", "+hget", "+hgetall", "+llen", "+lindex"];
    let url = user(&server, &reading);
    for arguments in [&["list"][..], &["peek", "login", "--for", "203.0.113.1"]] {
        run(&url, arguments).exits(3).complains(&["permission denied", "NOPERM"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_for_another_prefix_is_refused() {
    let (server, _) = used_server().await;
    let url = user(&server, &["+@all"]);
    run(&url, &["set", "login", "count=5", "--prefix", "shop"]).exits(3).complains(&["NOPERM", "a key"]);
    run(&url, &["doctor", "--prefix", "shop"]).exits(1).says(&["PROBLEM  permissions"]);
}

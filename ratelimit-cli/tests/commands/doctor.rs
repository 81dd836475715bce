//! Tests `doctor`: its findings, their advice, and the exit code.

use crate::harness::{keys, run, used_server};
use support::RedisServer;

fn config(server: &RedisServer, name: &str, value: &str) {
    redis::cmd("CONFIG").arg("SET").arg(name).arg(value).exec(&mut server.raw()).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_healthy_server_has_no_problem_and_keeps_its_keys() {
    let (server, _) = used_server().await;
    let before = keys(&server);
    let ran = run(&server.url(), &["doctor", "--deadline", "60000"]).exits(0);
    ran.says(&[
        "ok       latency: median ",
        "ok       version: ",
        "ok       permissions: decisions of all algorithms and overrides work",
        "ok       keys without TTL: none among 6 keys",
        "ok       clock of this machine",
        "note     replicas: none",
        "note     tcp-keepalive: 300 s",
        "CONFIG SET tcp-keepalive 60",
        "ok       timeout: 0",
        "0 problems, 3 notes",
    ]);
    assert_eq!(keys(&server), before, "no key is left behind");
}

#[tokio::test(flavor = "multi_thread")]
async fn problems_are_found_and_say_what_to_do() {
    let (server, _) = used_server().await;
    config(&server, "maxmemory", "100mb");
    config(&server, "tcp-keepalive", "60");
    config(&server, "timeout", "30");
    config(&server, "maxmemory-policy", "allkeys-lru");
    let key = keys(&server).into_iter().find(|key| key.contains("}:login:")).unwrap();
    redis::cmd("PERSIST").arg(key).exec(&mut server.raw()).unwrap();
    redis::cmd("SET").arg("ratelimit:{other program}").arg(1).exec(&mut server.raw()).unwrap();
    run(&server.url(), &["doctor", "--deadline", "60000"]).exits(1).says(&[
        "PROBLEM  eviction: `allkeys-lru` may evict the overrides",
        "CONFIG SET maxmemory-policy noeviction",
        "PROBLEM  keys without TTL: 1 of ",
        "PROBLEM  keys of other programs: 1 key",
        "ok       tcp-keepalive: 60 s",
        "note     timeout: the server closes connections that are idle for 30 s",
        "CONFIG SET timeout 0",
        "3 problems",
    ]);
    let json = run(&server.url(), &["doctor", "--json", "--deadline", "60000"]).exits(1).json();
    let problems =
        json["findings"].as_array().unwrap().iter().filter(|finding| finding["level"] == "problem");
    assert!(problems.clone().all(|problem| problem["advice"].is_string()), "{json}");
    assert_eq!((problems.count(), &json["problems"]), (3, &3.into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_server_refuses_decisions() {
    let (server, _) = used_server().await;
    config(&server, "maxmemory", "1");
    let ran = run(&server.url(), &["doctor"]);
    assert!(ran.code == 1 || ran.code == 3, "{ran:?}");
    assert!(ran.out.contains("PROBLEM  memory") || ran.err.contains("OOM"), "{ran:?}");
}

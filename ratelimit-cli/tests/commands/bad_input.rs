//! Tests the messages about unreachable servers, servers of another kind than the URL says, and wrong command lines. The messages
//! must be clear and contain no secrets.

use crate::harness::{command, finish, run};
use support::{Cluster, FakeServer, RedisServer};

const COMMANDS: [&[&str]; 9] = [
    &["list"],
    &["peek", "login", "--for", "x"],
    &["reset", "login", "--for", "x"],
    &["reset", "login", "--all", "--yes"],
    &["set", "login", "count=5"],
    &["unset", "login"],
    &["overrides"],
    &["top", "--json"],
    &["doctor"],
];

#[test]
fn an_unreachable_server_is_named_and_the_password_is_not() {
    let mut server = RedisServer::start();
    let address = format!("127.0.0.1:{}", server.port());
    server.stop();
    for arguments in COMMANDS {
        let ran = run(&format!("redis://operator:sesame@{address}"), arguments).exits(3);
        assert!(ran.err.contains(&address) && ran.err.starts_with("error: "), "{arguments:?} {ran:?}");
        assert!(!format!("{ran:?}").contains("sesame"), "{ran:?}");
        assert_eq!(ran.out, "", "{arguments:?}");
    }
}

#[test]
fn a_wrong_password_is_an_error_of_the_server() {
    let server = RedisServer::builder().password("walrus").start();
    for arguments in COMMANDS {
        for credentials in ["", ":sesame@"] {
            let url = format!("redis://{credentials}127.0.0.1:{}", server.port());
            let ran = run(&url, arguments).exits(3).complains(&["cannot log in"]);
            assert!(!format!("{ran:?}").contains("sesame"), "{ran:?}");
        }
    }
    run(&server.url(), &["list"]).exits(1).complains(&["nothing uses the prefix `ratelimit`"]);
}

#[test]
fn a_wrong_url_is_an_error_of_the_command_line() {
    for (url, why) in [
        ("http://127.0.0.1", "unknown scheme"),
        ("redis://:ses?me@127.0.0.1", "percent-encoded"),
        ("redis://:sesame@a,b", "several hosts"),
        ("redis://:sesame@127.0.0.1/x", "number of a database"),
    ] {
        let ran = run(url, &["list"]).exits(2).complains(&["cannot use the URL", why]);
        assert!(!ran.err.contains("sesame") && !ran.err.contains("ses?me"), "{ran:?}");
    }
    finish(command("", &["list"]).env_remove("RATELIMIT_URL")).exits(2).complains(&["--url redis://"]);
    run("", &["list"]).exits(2).complains(&["set RATELIMIT_URL"]);
}

#[test]
fn another_kind_of_server_is_recognized() {
    let cluster = Cluster::start(3);
    let single = format!("redis://127.0.0.1:{}", cluster.ports()[0]);
    run(&single, &["list"]).exits(3).complains(&["write `redis+cluster://127.0.0.1"]);
    let server = RedisServer::start();
    let url = format!("redis+cluster://127.0.0.1:{}", server.port());
    run(&url, &["doctor"]).exits(3).complains(&["not a node of a cluster"]);
}

#[test]
fn a_server_that_is_not_redis_is_an_error() {
    let fake = FakeServer::start(|_, _| b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec());
    run(&format!("redis://127.0.0.1:{}", fake.port()), &["list"]).exits(3).complains(&["127.0.0.1"]);
}

#[test]
fn wrong_options_are_explained() {
    let server = RedisServer::start();
    let url = server.url();
    for (arguments, why) in [
        (&["list", "--limit", "counter count=5"][..], "--limit"),
        (&["list", "--limit", "x=y"], "unknown"),
        (&["list", "--prefix", "a b"], "invalid prefix"),
        (&["list", "--keys-per-second", "0"], "keys-per-second"),
        (&["top"], "pass --json"),
        (&["lst"], "'list'"),
    ] {
        run(&url, arguments).exits(2).complains(&[why]);
    }
}

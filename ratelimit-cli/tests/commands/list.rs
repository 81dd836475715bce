//! Tests `list`: its counts and its output.

use crate::harness::{LOGIN_TEXT, command, run, set, used_server};
use serde_json::Value;
use support::RedisServer;

fn row<'j>(list: &'j Value, name: &str) -> &'j Value {
    let rows = list["limits"].as_array().unwrap();
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name}: {list}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_are_listed_with_their_use() {
    let (server, _) = used_server().await;
    let ran = run(&server.url(), &["list", "--limit", LOGIN_TEXT]).exits(0);
    let ran = ran.says(&[
        "NAME           ALGORITHM     KEYS  UNITS  AT LIMIT  LONGEST TTL",
        "all            counter          1      1         ?",
        "login          counter          3      9         1",
        "report:{kind}  sliding_log      1      2         ?",
        "search         token_bucket     1      ?         ?",
        "login  counter count=5 time=1h",
        "████████████████████  5 of 5  refused for ",
        "████████████░░░░░░░░  3 of 5",
        "(everybody)  1 unit  TTL ",
        "search  numbers unknown\n",
        "such as --limit \"all=counter count=100 time=1m\"",
    ]);
    assert!(
        !ran.out.contains("203.0.113") && !ran.out.contains("al%20ice"),
        "identities are hashed: {}",
        ran.out
    );
    assert_eq!(ran.err, "");
    let ran = run(&server.url(), &["list", "--identities"]);
    ran.exits(0).says(&["203.0.113.1", "al%20ice", "bob=pdf"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn json_has_the_same_numbers() {
    let (server, _) = used_server().await;
    let list =
        run(&server.url(), &["list", "l*", "--json", "--identities", "--limit", LOGIN_TEXT]).exits(0).json();
    assert_eq!((&list["partial"], &list["keys"]), (&Value::from(false), &Value::from(3)));
    assert_eq!(list["limits"].as_array().unwrap().len(), 1, "{list}");
    let login = row(&list, "login");
    assert_eq!(
        (&login["units"], &login["at_limit"], &login["algorithm"]),
        (&9.into(), &1.into(), &"counter".into())
    );
    let largest = &login["largest"];
    assert_eq!((&largest[0]["identity"], &largest[0]["used"]), (&"203.0.113.1".into(), &5.into()));
    assert_eq!((&largest[0]["allowed"], &largest[1]["allowed"]), (&false.into(), &true.into()));
    assert!(login["longest_ttl_ms"].as_u64().unwrap() > 3_000_000, "{list}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_override_of_a_whole_limit_tells_the_numbers() {
    let (server, limiter) = used_server().await;
    set(&limiter, "login", "counter count=3 time=1h").await;
    let list = run(&server.url(), &["list", "login", "--json"]).exits(0).json();
    assert_eq!(
        (&row(&list, "login")["limit"], &row(&list, "login")["at_limit"]),
        (&"counter count=3 time=1h".into(), &2.into())
    );
    set(&limiter, "login", "count=4").await;
    let list = run(&server.url(), &["list", "login", "--json"]).exits(0).json();
    assert_eq!(row(&list, "login")["limit"], Value::Null, "a part needs the rest from the command line");
    let list = run(&server.url(), &["list", "login", "--json", "--limit", LOGIN_TEXT]).exits(0).json();
    assert_eq!(row(&list, "login")["limit"], "counter count=4 time=1h");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_smaller_limit_is_full() {
    let (server, limiter) = used_server().await;
    let set_all = async |change: &str| {
        for name in ["login", "search", "report:{kind}"] {
            set(&limiter, name, change).await;
        }
    };
    let given = [
        "--limit",
        LOGIN_TEXT,
        "--limit",
        "token_bucket count=10 time=1h",
        "--limit",
        "sliding_log count=10 time=1h",
    ];
    let list = || run(&server.url(), &[&["list"], &given[..]].concat()).exits(0);
    set_all("count=2").await;
    list().says(&["2 of 2  refused for", "1 of 2  free in"]);
    set_all("count=0").await;
    list().says(&[
        "login          counter          3      ?         3",
        "login  counter count=0 time=1h (override: count=0, refuses every call)",
        "? of 0  refuses every call",
    ]);
    let json = run(&server.url(), &[&["list", "--json"], &given[..]].concat()).exits(0).json();
    let login = row(&json, "login");
    assert_eq!((&login["at_limit"], &login["override"]), (&3.into(), &"count=0".into()));
    run(&server.url(), &["peek", "login", "--for", "203.0.113.1", "--limit", LOGIN_TEXT])
        .exits(0)
        .says(&["? of 0, refuses every call  counter count=0 time=1h"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn other_prefixes_and_other_programs_are_left_out() {
    let (server, limiter) = used_server().await;
    set(&limiter, "login", "count=4").await;
    for key in ["ratelimit2:{a}:n:c2", "ratelimit:{not a limit}"] {
        redis::cmd("SET").arg(key).arg("x").exec(&mut server.raw()).unwrap();
    }
    let all =
        crate::harness::keys(&server).into_iter().find(|key| key.starts_with("ratelimit:{all}")).unwrap();
    redis::cmd("RENAME").arg(all).arg("ratelimit:{old}:n:c0").exec(&mut server.raw()).unwrap();
    let list = run(&server.url(), &["list", "--json"]).json();
    assert_eq!(list["foreign_keys"], 1, "{list}");
    let ran = run(&server.url(), &["list"]).exits(0);
    let ran = ran.says(&["n              format c0", "1 key under the prefix that no limit has written"]);
    assert!(!ran.out.contains("overrides"), "{}", ran.out);
    run(&server.url(), &["list", "--prefix", "nothing"]).exits(1).says(&["no live keys"]).complains(&[
        "nothing uses the prefix `nothing`; there are limits with `ratelimit`: set `--prefix`, or RATELIMIT_PREFIX",
    ]);
    run(&server.url(), &["list", "logni"]).exits(1).complains(&["no key", "did you mean `login`?"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_foreign_value_hides_only_its_own_key() {
    let (server, _) = used_server().await;
    let format = limits_format(&server);
    let key = format!("ratelimit:{{203.0.113.9}}:login:{format}");
    redis::cmd("SET").arg(&key).arg("hello").arg("EX").arg(100).exec(&mut server.raw()).unwrap();
    let list = run(&server.url(), &["list", "login", "--json", "--limit", LOGIN_TEXT]).exits(0).json();
    assert_eq!((&row(&list, "login")["keys"], &list["foreign_keys"]), (&3.into(), &1.into()), "{list}");
}

fn limits_format(server: &RedisServer) -> String {
    let keys = crate::harness::keys(server);
    let login = keys.iter().find(|key| key.contains("}:login:")).unwrap();
    login.rsplit(':').next().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_without_a_ttl_is_shown() {
    let (server, _) = used_server().await;
    let key = crate::harness::keys(&server).into_iter().find(|key| key.contains("}:login:")).unwrap();
    redis::cmd("PERSIST").arg(key).exec(&mut server.raw()).unwrap();
    run(&server.url(), &["list", "login"]).exits(0).says(&["never"]);
    let list = run(&server.url(), &["list", "login", "--json"]).json();
    assert_eq!(row(&list, "login")["keys_without_ttl"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn colors_are_for_terminals_or_when_asked_for() {
    let (server, _) = used_server().await;
    assert!(!run(&server.url(), &["list"]).out.contains('\x1b'));
    assert!(run(&server.url(), &["list", "--color", "always"]).out.contains("\x1b[1m"));
    assert!(!run(&server.url(), &["list", "--color", "never"]).out.contains('\x1b'));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_list_is_partial() {
    let server = RedisServer::start();
    let mut fill = redis::pipe();
    for user in 0..2000 {
        fill.cmd("SET").arg(format!("ratelimit:{{user-{user}}}:n:c2")).arg(1).arg("EX").arg(1000).ignore();
    }
    fill.exec(&mut server.raw()).unwrap();
    // At this pace, the list takes more than ten seconds.
    let child = command(&server.url(), &["list", "--json", "--keys-per-second", "100"]).spawn().unwrap();
    crate::harness::wait_for("the first keys are read", async || {
        let stats: String = redis::cmd("INFO").arg("commandstats").query(&mut server.raw()).unwrap();
        stats.contains("cmdstat_pttl")
    })
    .await;
    let id = child.id().to_string();
    std::process::Command::new("kill").args(["-INT", &id]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &list["partial"]), (Some(130), &true.into()));
    assert!((1..2000).contains(&list["keys"].as_u64().unwrap()), "{list}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_very_long_name_is_shortened() {
    let (server, _) = used_server().await;
    let key = format!("ratelimit:{{x}}:{}:{}", "n".repeat(200_000), limits_format(&server));
    redis::cmd("SET").arg(&key).arg("1").arg("EX").arg(100).exec(&mut server.raw()).unwrap();
    let ran = run(&server.url(), &["list"]).exits(0).says(&["nnn…nnn", "login"]);
    assert!(ran.out.lines().all(|line| line.chars().count() < 300), "{}", ran.out.len());
    let set = ["set", &"n".repeat(200_000)[..100_000], "count=1"];
    assert!(run(&server.url(), &set).exits(1).err.len() < 110_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn overrides_of_single_identities_are_listed() {
    let (server, limiter) = used_server().await;
    let address = std::net::IpAddr::from([203, 0, 113, 1]);
    set(&limiter, ratelimit::Key::new("login").by(address), "count=500").await;
    run(&server.url(), &["list", "--identities"])
        .exits(0)
        .says(&["login  numbers unknown\n   override for 203.0.113.1: count=500\n"]);
    let hash = limiter.identity_hash(ratelimit::Key::new("login").by(address)).unwrap().unwrap();
    let list = run(&server.url(), &["list", "--json"]).exits(0).json();
    let of_login = &row(&list, "login")["identity_overrides"];
    assert_eq!(*of_login, serde_json::json!([{ "identity": hash.to_string(), "change": "count=500" }]));
}

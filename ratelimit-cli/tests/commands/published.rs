//! Tests the limits that services publish: two services in separate processes, and the commands that know their limits.

use crate::harness::{Ran, command, finish, run, top_until, wait_for};
use ratelimit::{RateLimiter, Rejection, rate_limit};
use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use support::RedisServer;

#[rate_limit(key = "login", time = "1h", count = 5, by = user)]
async fn login(user: &str) -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "export", time = "1h", count = plan, by = user)]
async fn export(user: &str, plan: u32) -> Result<(), Rejection> {
    Ok(())
}

/// The environment variable that tells a process to be a service.
const SERVICE: &str = "TESTED_SERVICE";

/// A process of a service. It ends when its standard input is closed.
struct Service(Child);

impl Service {
    fn start(url: &str, version: &str) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "published::services_publish_their_limits"]);
        command.env(SERVICE, format!("{version} {url}"));
        Self(command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// Runs a service. The old version limits logins, and the new version also limits exports.
async fn serve(service: &str) {
    let (version, url) = service.split_once(' ').unwrap();
    let builder = RateLimiter::builder().redis(url).prefix("shop").service_version(version);
    let limiter = builder.deadline(Duration::from_secs(10)).connect().await.unwrap();
    ratelimit::install(limiter).unwrap();
    for _ in 0..3 {
        let _ = login("ann").await;
    }
    if version == "1.5.0" {
        export("ann", 7).await.unwrap();
        export("bob", 1000).await.unwrap();
    }
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await.unwrap().unwrap();
}

/// Runs the command with the prefix of the services.
fn of_shop(server: &RedisServer, arguments: &[&str]) -> Ran {
    finish(command(&server.url(), arguments).env("RATELIMIT_PREFIX", "shop"))
}

fn overrides(server: &RedisServer) -> usize {
    of_shop(server, &["overrides", "--json"]).exits(0).json().as_array().unwrap().len()
}

#[tokio::test(flavor = "multi_thread")]
async fn services_publish_their_limits() {
    if let Ok(service) = std::env::var(SERVICE) {
        return serve(&service).await;
    }
    let server = RedisServer::start();
    let known = |version: &str| {
        let known: Vec<String> = redis::cmd("HVALS").arg("shop:{#}:limits").query(&mut server.raw()).unwrap();
        known.iter().any(|text| text.contains(&format!("version={version} ")))
    };
    let old = Service::start(&server.url(), "1.4.2");
    wait_for("the old version has published", async || known("1.4.2")).await;
    of_shop(&server, &["list"])
        .exits(0)
        .says(&["login  counter count=5 time=1h, version 1.4.2\n", "3 of 5  free in"]);
    drop(old);
    let _new = Service::start(&server.url(), "1.5.0");
    wait_for("the new version has published", async || known("1.5.0 varies")).await;
    let ttl: i64 = redis::cmd("PTTL").arg("shop:{#}:limits").query(&mut server.raw()).unwrap();
    assert!((1..=7 * 24 * 3600 * 1000).contains(&ttl), "{ttl}");

    of_shop(&server, &["list"]).exits(0).says(&[
        "export  numbers vary, such as counter count=7 time=1h, version 1.5.0\n",
        "5 of 5  refused for",
    ]);
    of_shop(&server, &["peek", "login", "--for", "ann"]).exits(0).says(&["5 of 5, refused for"]);
    top_until(&server.url(), &["--prefix", "shop"], |top| top.to_string().contains("\"capacity\":5"));
    a_wrong_name_is_said(&server);
    a_wrong_prefix_is_said(&server);
}

fn a_wrong_name_is_said(server: &RedisServer) {
    let said = ["no service has published a limit `exprot`", "did you mean `export`?"];
    let set = ["set", "exprot", "count=1"];
    of_shop(server, &set).exits(1).complains(&said).complains(&["nothing was changed; with `--force`"]);
    assert_eq!(overrides(server), 0);
    for arguments in [&["peek", "exprot"][..], &["list", "exprot"]] {
        of_shop(server, arguments).exits(1).complains(&said);
    }
    of_shop(server, &["set", "login", "burst=3"])
        .exits(2)
        .complains(&["does not fit its limit: `burst` needs"]);
    of_shop(server, &["set", "export", "burst=3"]).exits(0);
    of_shop(server, &[&set[..], &["--force"]].concat()).exits(0).says(&["exprot: count=1"]);
    of_shop(server, &["overrides"])
        .exits(0)
        .says(&["count=1 (no service has published this name)\n", "burst=3\n"]);
    of_shop(server, &["list"]).exits(0).says(&["WITHOUT KEYS", "exprot        only an override: count=1"]);
    of_shop(server, &["doctor", "--deadline", "60000"]).exits(1).says(&[
        "overrides: no service has published a limit `exprot`, which has an override",
        "did you mean `export`?",
        "PROBLEM  overrides: a restart of the server loses 2 overrides",
    ]);
}

fn a_wrong_prefix_is_said(server: &RedisServer) {
    let said = [
        "nothing uses the prefix `ratelimit`; there are limits with `shop`: set `--prefix`, or RATELIMIT_PREFIX",
    ];
    for arguments in [&["list"][..], &["set", "login", "count=1"], &["peek", "login"]] {
        run(&server.url(), arguments).exits(1).complains(&said);
    }
    of_shop(server, &["list", "--prefix", "sohp"]).exits(1).complains(&["nothing uses the prefix `sohp`"]);
    let keys: Vec<String> = redis::cmd("KEYS").arg("*").query(&mut server.raw()).unwrap();
    assert!(keys.iter().all(|key| key.starts_with("shop:")), "nothing was set: {keys:?}");
}

//! Tests all commands while a node of a cluster is down. They do what the library does: it decides on the other nodes.

use crate::harness::{LOGIN, LOGIN_TEXT, Ran, limiter, run, set, top_until, wait_for};
use ratelimit::store::StoreKey;
use ratelimit::{Algorithm, Key, RateLimiter, RedisStore, Rejection};
use support::Cluster;

/// A cluster of three primaries, one of which has died with its replica. 60 users have logged in.
struct Broken {
    cluster: Cluster,
    service: RateLimiter,
    /// The address of the missing node.
    missing: String,
    /// A user whose node decides, and a user whose node is missing.
    live: String,
    lost: String,
    /// The number of users whose node decides.
    live_users: usize,
}

const USERS: usize = 60;

impl Broken {
    /// Kills the node that has the overrides, or another one.
    async fn start(coverage: &str, kills_overrides: bool) -> Self {
        let mut cluster = Cluster::start(3).with_failover();
        let service = limiter(&cluster.url()).await;
        for user in 0..USERS {
            service.check(&LOGIN, Key::new("login").by(user)).await.unwrap();
        }
        set(&service, "login", "count=4").await;
        for port in cluster.ports() {
            let mut config = redis::cmd("CONFIG");
            config.arg("SET").arg("cluster-require-full-coverage").arg(coverage);
            config.exec(&mut cluster.server(port).raw()).unwrap();
        }
        let servers = RedisStore::new(&cluster.url()).unwrap().servers().await.unwrap();
        let overrides = StoreKey::new(b"ratelimit:{#}:overrides");
        let mut servers = servers.into_iter();
        let killed = servers.find(|server| server.serves(&overrides) == kills_overrides).unwrap();
        let missing = killed.to_string();
        let port = missing.rsplit(':').next().unwrap().parse().unwrap();
        cluster.kill(cluster.replica_of(port));
        cluster.kill(port);
        let key = |user: &usize| service.store_key(Key::new("login").by(user), Algorithm::Counter).unwrap();
        let (lost, live): (Vec<_>, Vec<_>) = (0..USERS).partition(|user| killed.serves(&key(user)));
        let broken = Self {
            missing,
            live: live[0].to_string(),
            lost: lost[0].to_string(),
            live_users: live.len(),
            service,
            cluster,
        };
        broken.notices().await;
        broken
    }

    /// Waits until the other nodes know that the node is missing.
    async fn notices(&self) {
        wait_for("the node is found missing", async || {
            let ports = self.cluster.primaries();
            let live = ports.iter().filter(|port| !self.missing.ends_with(&port.to_string()));
            live.into_iter().all(|port| {
                let mut raw = self.cluster.server(*port).raw();
                let info: String = redis::cmd("CLUSTER").arg("INFO").query(&mut raw).unwrap();
                info.lines().any(|line| line.starts_with("cluster_slots_fail:") && !line.ends_with(":0"))
            })
        })
        .await;
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let ran = run(&self.cluster.url(), arguments);
        ran.complains(&[&self.missing, "of 16384 slots", "the failure policy of each limit decides"])
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_works_on_the_other_nodes() {
    let broken = Broken::start("no", false).await;
    let (live, lost) = (&broken.live[..], &broken.lost[..]);
    // The library: a service starts and decides.
    let late = limiter(&broken.cluster.url()).await;
    late.check(&LOGIN, Key::new("login").by(live)).await.unwrap();
    broken.service.check(&LOGIN, Key::new("login").by(live)).await.unwrap();

    let json = broken.run(&["list", "--json", "--limit", LOGIN_TEXT]).exits(0).json();
    assert_eq!((&json["limits"][0]["keys"], &json["partial"]), (&broken.live_users.into(), &true.into()));
    broken.run(&["list"]).exits(0).says(&["partial: not all keys were read"]);
    broken.run(&["peek", "login", "--for", live]).exits(0).says(&["3 units in use"]);
    let both = broken.run(&["peek", "login", "--for", lost, "--for", live]).exits(3);
    both.says(&["3 units in use"]).complains(&[&format!("nothing was done for login for {lost}")]);
    broken.run(&["peek", "login", "--for", lost]).exits(3);

    broken.run(&["set", "login", "--for", lost, "count=9"]).exits(0);
    broken.run(&["set", "login", "count=3"]).exits(0);
    broken.run(&["overrides"]).exits(0).says(&["count=9", "count=3"]);
    broken.run(&["unset", "login"]).exits(0);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.toml");
    std::fs::write(&file, "[[override]]\nname = 'login'\nchange = 'count=2'\n").unwrap();
    let file = file.to_str().unwrap();
    broken.run(&["plan", file]).exits(0).says(&["2 changes"]);
    broken.run(&["apply", file]).exits(0).says(&["2 changes made"]);
    broken.run(&["drift", file]).exits(0);
    broken.run(&["unset", "login"]).exits(0);

    let limited = |arguments: &[&str]| broken.run(&[arguments, &["--limit", LOGIN_TEXT]].concat());
    limited(&["block", "login", "--for", live, "--for", lost, "1h"]).exits(3).says(&["blocked for 1 h"]);
    let refused = late.check(&LOGIN, Key::new("login").by(live)).await;
    assert!(matches!(refused, Err(Rejection::Limited(_))), "{refused:?}");
    limited(&["unblock", "login", "--for", live]).exits(0).says(&["unblocked", "up to one more second"]);
    broken.run(&["reset", "login", "--for", live]).exits(0).says(&["reset counter", "one more second"]);
    broken.run(&["reset", "login", "--for", lost]).exits(3);

    let doctor = broken.run(&["doctor", "--deadline", "60000"]).exits(1);
    doctor.says(&[
        &format!("PROBLEM  slots without a reachable node: cannot connect to Redis at {}", broken.missing),
        "ok       cluster-require-full-coverage: `no`",
        "ok       permissions: decisions of all algorithms and overrides work",
        "ok       keys without TTL: none among",
        "the clocks of 2 servers differ by",
        "1 problem,",
    ]);
    let top = ["--limit", LOGIN_TEXT];
    let (_, top) = top_until(&broken.cluster.url(), &top, |top| {
        top["number_of_keys"] == broken.live_users - 1 && top["error"].is_null()
    });
    assert!(top["missing"][0].as_str().is_some_and(|why| why.contains(&broken.missing)), "{top}");
    assert_eq!(top["servers"].as_array().map(Vec::len), Some(2), "{top}");

    let reset = broken.run(&["reset", "login", "--all", "--yes"]).exits(3);
    reset
        .says(&[&format!("deleted {} keys", broken.live_users - 1)])
        .complains(&["the keys of the missing nodes were not deleted"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_node_of_the_overrides_the_states_can_be_read_and_changed() {
    let broken = Broken::start("no", true).await;
    let (live, url) = (&broken.live[..], broken.cluster.url());
    let late = limiter(&url).await;
    late.check(&LOGIN, Key::new("login").by(live)).await.unwrap();
    let said = ["this node has the overrides and the published limits"];
    broken.run(&["list"]).exits(0).complains(&said);
    let limited = |arguments: &[&str]| broken.run(&[arguments, &["--limit", LOGIN_TEXT]].concat());
    limited(&["peek", "login", "--for", live]).exits(0).says(&["2 of 5"]);
    limited(&["block", "login", "--for", live, "1h"]).exits(0);
    limited(&["unblock", "login", "--for", live]).exits(0);
    broken.run(&["reset", "login", "--for", live]).exits(0);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("limits.toml");
    std::fs::write(&file, "").unwrap();
    for arguments in [
        &["set", "login", "count=2", "--force"][..],
        &["unset", "login"],
        &["overrides"],
        &["plan", file.to_str().unwrap()],
        &["apply", file.to_str().unwrap()],
    ] {
        broken.run(arguments).exits(3).complains(&["this node has the overrides", "running services keep"]);
    }
    broken.run(&["doctor", "--deadline", "60000"]).exits(1).says(&[
        "PROBLEM  slots without a reachable node",
        "PROBLEM  overrides: cannot connect to",
        "ok       permissions: decisions of all algorithms work",
    ]);
    top_until(&url, &[], |top| {
        top["number_of_keys"] == broken.live_users - 1 && top["missing"].as_array().map(Vec::len) == Some(1)
    });
}

/// With the default of Redis, one missing node takes the whole cluster down, and each message says so.
#[tokio::test(flavor = "multi_thread")]
async fn the_default_of_redis_is_named() {
    let broken = Broken::start("yes", false).await;
    let said = ["CLUSTERDOWN", "`cluster-require-full-coverage no`"];
    let error = RateLimiter::builder().redis(broken.cluster.url()).connect().await.unwrap_err().to_string();
    assert!(said.iter().all(|said| error.contains(said)), "{error}");
    let live = &broken.live[..];
    for arguments in [
        &["list"][..],
        &["peek", "login", "--for", live],
        &["set", "login", "count=2"],
        &["overrides"],
        &["block", "login", "--for", live, "1h", "--limit", LOGIN_TEXT],
        &["unblock", "login", "--for", live, "--limit", LOGIN_TEXT],
        &["reset", "login", "--for", live],
        &["reset", "login", "--all", "--yes"],
    ] {
        broken.run(arguments).exits(3).complains(&said);
    }
    broken.run(&["doctor", "--deadline", "60000"]).exits(1).says(&[
        "PROBLEM  slots without a reachable node: cannot connect to Redis at",
        "PROBLEM  cluster-require-full-coverage: `yes`: the cluster is down because slots have no node",
        "CONFIG SET cluster-require-full-coverage no",
        "ok       version: ",
    ]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_live_view_loses_a_node_and_finds_it_again() {
    let mut cluster = Cluster::start(3);
    let (url, service) = (cluster.url(), limiter(&cluster.url()).await);
    for user in 0..USERS {
        service.check(&LOGIN, Key::new("login").by(user)).await.unwrap();
    }
    let port = cluster.primaries()[0];
    let (mut killed, mut lost) = (false, false);
    let top = move || {
        top_until(&url, &["--limit", LOGIN_TEXT], |top| {
            let missing = top["missing"].as_array().map(Vec::len);
            if !killed
                && top["number_of_keys"] == USERS
                && top["keys"].as_array().is_some_and(|keys| keys.len() == USERS)
            {
                cluster.kill(port);
                killed = true;
            }
            // The other nodes are read and shown without an error.
            if killed
                && !lost
                && missing == Some(1)
                && top["error"].is_null()
                && top["number_of_keys"].as_u64() < Some(60)
            {
                cluster.restart(port);
                lost = true;
            }
            lost && missing == Some(0) && top["error"].is_null()
        })
    };
    let (_, top) = tokio::task::spawn_blocking(top).await.unwrap();
    assert_eq!(top["servers"].as_array().map(Vec::len), Some(3), "{top}");
}

//! Servers that do not match their URL. Each error says what is wrong and which URL to write.

use crate::harness::{HUGE, cluster_of_one, limiter_at, undecided, wait_for, wait_until_reachable};
use ratelimit::{ErrorKind, RateLimiter};
use support::{RedisServer, Sentinels};

pub(crate) async fn refused(url: &str, kind: ErrorKind, says: &str) {
    let error = limiter_at(url).connect().await.expect_err(url);
    let message = error.to_string();
    assert_eq!(error.kind(), kind, "{url}: {message}");
    assert!(message.contains(says), "{url}: {message}");
    assert!(!message.contains("sesame"), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_url_names_the_kind_of_server_and_a_database_of_it() {
    let (one, node) = (RedisServer::start(), cluster_of_one());
    let (at, node) = (format!("127.0.0.1:{}", one.port()), format!("127.0.0.1:{}", node.port()));
    let configuration = ErrorKind::Configuration;
    refused(&format!("redis+cluster://{at}"), configuration, &format!("write `redis://{at}`")).await;
    refused(&format!("redis://{node}"), configuration, &format!("write `redis+cluster://{node}`")).await;
    refused(&format!("redis+sentinel://{at}/main"), configuration, "the server is not a sentinel").await;
    refused(&format!("{}99", one.url()), configuration, "database in the URL does not exist").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sentinel_is_not_a_server() {
    let sentinels = Sentinels::start();
    let at = format!("127.0.0.1:{}", sentinels.sentinel_ports()[0]);
    for scheme in ["redis", "redis+cluster"] {
        let says = format!("write `redis+sentinel://{at}/` and the name of the primary");
        refused(&format!("{scheme}://{at}"), ErrorKind::Configuration, &says).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replica_is_rejected() {
    let primary = RedisServer::start();
    let replica =
        RedisServer::builder().args(["--replicaof", "127.0.0.1", &primary.port().to_string()]).start();
    refused(&replica.url(), ErrorKind::Unavailable, "the server is a replica, which cannot store limits")
        .await;
    // A limiter that was started despite the error tries to connect only a few times. It works as soon as the server has become
    // the primary.
    let limiter = assert_connects_rarely(&replica, &replica.url()).await;
    redis::cmd("REPLICAOF").arg("NO").arg("ONE").exec(&mut replica.raw()).unwrap();
    wait_until_reachable(&limiter).await;
}

/// Asserts that a limiter that connects lazily does not open a connection for each call. Returns the limiter.
async fn assert_connects_rarely(server: &RedisServer, url: &str) -> RateLimiter {
    let connections = || -> u32 {
        let info: String = redis::cmd("INFO").arg("stats").query(&mut server.raw()).unwrap();
        let number = info.lines().find_map(|line| line.strip_prefix("total_connections_received:"));
        number.unwrap().trim().parse().unwrap()
    };
    let limiter = limiter_at(url).build().unwrap();
    let before = connections();
    for _ in 0..200 {
        undecided(limiter.check(&HUGE, "calls").await);
    }
    let more = connections() - before;
    assert!(more < 20, "{url}: {more} connections for 200 calls");
    limiter
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wrong_url_does_not_cause_a_connection_per_call() {
    let (locked, node) = (RedisServer::builder().password("sesame").start(), cluster_of_one());
    let at = format!("127.0.0.1:{}", locked.port());
    for url in [
        format!("redis://:wrong@{at}"),
        format!("redis://{at}"),
        format!("redis://:sesame@{at}/99"),
        format!("redis+cluster://:sesame@{at}"),
        format!("redis+sentinel://:sesame@{at}/main"),
    ] {
        assert_connects_rarely(&locked, &url).await;
    }
    assert_connects_rarely(&node, &node.url()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_that_is_hidden_is_named() {
    for (hidden, says) in
        [("HELLO", "`hello` is unknown"), ("AUTH", "password"), ("EVALSHA", "`evalsha` is unknown")]
    {
        let server = RedisServer::builder().args(["--rename-command", hidden, ""]).start();
        let protocol = if hidden == "HELLO" { "resp3" } else { "resp2" };
        let user = if hidden == "EVALSHA" { "" } else { "ann:sesame@" };
        let url = format!("redis://{user}127.0.0.1:{}?protocol={protocol}", server.port());
        refused(&url, ErrorKind::Configuration, says).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_memory() {
    let server = RedisServer::start();
    let mut raw = server.raw();
    redis::cmd("CONFIG").arg("SET").arg("maxmemory").arg(1).exec(&mut raw).unwrap();
    refused(
        &server.url(),
        ErrorKind::Unavailable,
        "increase `maxmemory`, or move the limits to a server of their own",
    )
    .await;
    redis::cmd("CONFIG").arg("SET").arg("maxmemory").arg(0).exec(&mut raw).unwrap();
    assert!(limiter_at(server.url()).connect().await.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_still_loads_its_data() {
    let mut server = RedisServer::builder().persistent().args(["--key-load-delay", "200"]).start();
    let fill = "for n = 1, 8000 do redis.call('SET', 'fill:' .. n, n) end";
    redis::cmd("EVAL").arg(fill).arg(0).exec(&mut server.raw()).unwrap();
    server.kill();
    let limiter = limiter_at(server.url()).build().unwrap();
    let restarting = tokio::task::spawn_blocking(move || {
        server.restart();
        server
    });
    wait_for("the server says that it loads its data", async || {
        undecided(limiter.check(&HUGE, "calls").await).to_string().contains("LOADING")
    })
    .await;
    wait_until_reachable(&limiter).await;
    drop(restarting.await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_not_redis_is_named_as_such() {
    let web = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = web.local_addr().unwrap();
    let replying = std::thread::spawn(move || {
        let (mut stream, _) = web.accept().unwrap();
        std::io::Write::write_all(&mut stream, b"<html>\r\n\r\nwelcome</html>\r\n").unwrap();
        stream
    });
    let says = format!(
        "cannot understand Redis at {address}: the reply is not in the Redis protocol; if the server requires TLS, \
         write `rediss`"
    );
    refused(&format!("redis://{address}"), ErrorKind::Configuration, &says).await;
    drop(replying.join().unwrap());
}

//! Tests the schemes of a URL: TLS, sentinels and sockets. The module `cluster` tests clusters.

use crate::harness::{LOGIN_TEXT, run, use_limits};
use support::{RedisServer, Sentinels, has_tls};

/// Runs commands that read the store, change it, and check its server.
async fn everything(url: &str) {
    let limiter = use_limits(url).await;
    run(url, &["list", "--limit", LOGIN_TEXT]).exits(0).says(&["5 of 5"]);
    run(url, &["set", "login", "count=7"]).exits(0);
    run(url, &["unset", "login"]).exits(0);
    run(url, &["doctor", "--deadline", "60000"]).exits(0).says(&["permissions: decisions of all algorithms"]);
    run(url, &["reset", "login", "--all", "--yes"]).exits(0).says(&["deleted 3 keys"]);
    limiter.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn encrypted_connections_are_used() {
    if !has_tls() {
        return;
    }
    let server = RedisServer::builder().tls().password("p@ss").start();
    let authority = server.certificates().authority();
    everything(&format!("{}?tls_ca={}", server.url(), authority.display())).await;
    let ran = run(&server.url(), &["list"]).exits(3).complains(&["tls_ca"]);
    assert!(!ran.err.contains("p%40ss") && !ran.err.contains("p@ss"), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sentinels_name_the_primary() {
    let sentinels = Sentinels::start();
    everything(&sentinels.url()).await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_socket_leads_to_the_server() {
    let directory = std::env::temp_dir().join(format!("ratelimit-cli-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let socket = directory.join("redis.sock").display().to_string();
    let server = RedisServer::builder().args(["--unixsocket", &socket]).start();
    everything(&format!("redis+unix://{socket}")).await;
    drop(server);
    std::fs::remove_dir_all(directory).unwrap();
}

//! Limiters that cannot be built: unreachable servers, wrong passwords, and settings out of range.

use crate::topology::wrong_urls::refused;
use ratelimit::{ErrorKind, RateLimiter};
use std::net::TcpListener;
use std::time::Duration;
use support::RedisServer;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_error_names_the_server_and_not_the_password() {
    let server = RedisServer::builder().password("sesame").start();
    let at = format!("127.0.0.1:{}", server.port());
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let (wrong, away) = (ErrorKind::Configuration, ErrorKind::Unavailable);
    refused(&format!("redis://:wrong-sesame@{at}"), wrong, &at).await;
    refused(&format!("redis://{at}"), wrong, "NOAUTH").await;
    refused(&format!("redis://:sesame@{free}"), away, &free).await;
    refused("redis://:sesame@host:port", wrong, "the port is no number").await;
    refused(":sesame@127.0.0.1", wrong, "redis://").await;
    assert!(RateLimiter::builder().redis(server.url()).connect().await.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_out_of_range_are_rejected() {
    for prefix in ["", "a b", "{a}", "ü"] {
        assert!(RateLimiter::builder().prefix(prefix).connect().await.is_err(), "{prefix:?}");
    }
    assert!(RateLimiter::builder().ipv6_prefix(129).connect().await.is_err());
    assert!(RateLimiter::builder().ipv6_prefix(32).connect().await.is_err());
    for share in [-0.1, 1.1, 80.0, f64::NAN] {
        let error = RateLimiter::builder().near_limit(share).build().unwrap_err().to_string();
        assert!(error.contains("near_limit"), "{error}");
    }
    assert!(RateLimiter::builder().deadline(Duration::ZERO).connect().await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_accepts_no_more_connections_is_unavailable() {
    let server = RedisServer::start();
    let mut only_client = server.raw();
    redis::cmd("CONFIG").arg("SET").arg("maxclients").arg(1).exec(&mut only_client).unwrap();
    refused(&server.url(), ErrorKind::Unavailable, "").await;
}

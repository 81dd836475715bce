//! Limiters that cannot be built: unreachable servers, wrong passwords, and settings out of range.

use ratelimit::{ErrorKind, RateLimiter};
use std::net::TcpListener;
use std::time::Duration;
use support::RedisServer;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_error_names_the_server_and_not_the_password() {
    let server = RedisServer::builder().password("sesame").start();
    let port = server.port();
    let free = { TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port() };
    for (url, kind, says) in [
        (
            format!("redis://:wrong-sesame@127.0.0.1:{port}"),
            ErrorKind::Configuration,
            format!("127.0.0.1:{port}"),
        ),
        (format!("redis://127.0.0.1:{port}"), ErrorKind::Configuration, "NOAUTH".to_owned()),
        (format!("redis://:sesame@127.0.0.1:{free}"), ErrorKind::Unavailable, format!("127.0.0.1:{free}")),
        (
            "redis://:sesame@host:port".to_owned(),
            ErrorKind::Configuration,
            "the port is no number".to_owned(),
        ),
        (":sesame@127.0.0.1".to_owned(), ErrorKind::Configuration, "redis://".to_owned()),
    ] {
        let error = RateLimiter::builder().redis(&url).connect().await.unwrap_err();
        assert_eq!(error.kind(), kind, "{url}: {error}");
        assert!(error.to_string().contains(&says), "{url}: {error}");
        assert!(!error.to_string().contains("sesame"), "{error}");
    }
    assert!(RateLimiter::builder().redis(server.url()).connect().await.is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_out_of_range_are_rejected() {
    for prefix in ["", "a b", "{a}", "ü"] {
        assert!(RateLimiter::builder().prefix(prefix).connect().await.is_err(), "{prefix:?}");
    }
    assert!(RateLimiter::builder().ipv6_prefix(129).connect().await.is_err());
    assert!(RateLimiter::builder().ipv6_prefix(32).connect().await.is_err());
    assert!(RateLimiter::builder().deadline(Duration::ZERO).connect().await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_accepts_no_more_connections_is_unavailable() {
    let server = RedisServer::start();
    let mut only_client = server.raw();
    redis::cmd("CONFIG").arg("SET").arg("maxclients").arg(1).exec(&mut only_client).unwrap();
    let error = RateLimiter::builder().redis(server.url()).connect().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
}

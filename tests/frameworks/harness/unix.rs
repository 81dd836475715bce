//! Helpers for unix sockets, which have no IP address. The sockets have abstract names, which are not in the file system.

use ratelimit::{RateLimitLayer, RateLimiter};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{self, SocketAddr, UnixListener};
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

/// Checks that a unix socket identifies nobody, whatever its requests claim. If the server reports that the peer is a unix
/// socket, the socket can be a trusted proxy. `serve` serves `/above` and `/context` of the contract on a non-blocking
/// listener.
pub(crate) async fn check(says_that_it_is_unix: bool, serve: impl Fn(UnixListener, RateLimitLayer)) {
    let trusting = RateLimiter::builder().trusted_proxies(["unix"]).connect().await.unwrap();
    let trusted = if says_that_it_is_unix { [200, 429, 200] } else { [503; 3] };
    let others = RateLimiter::builder().trusted_proxies(["127.0.0.0/8"]).connect().await.unwrap();
    for (limiter, expected) in [(others, [503; 3]), (trusting, trusted)] {
        let (listener, socket) = listen();
        serve(listener, RateLimitLayer::new().limiter(limiter));
        for path in ["/above", "/context"] {
            let claims = ["203.0.113.7", "6.6.6.6, 203.0.113.7", "203.0.113.8"];
            for (claim, expected) in claims.into_iter().zip(expected) {
                assert_eq!(status(&socket, path, claim).await, expected, "{path} {claim}");
            }
        }
    }
}

fn listen() -> (UnixListener, SocketAddr) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let name = format!("ratelimit {} {}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let socket = SocketAddr::from_abstract_name(name).unwrap();
    let listener = UnixListener::bind_addr(&socket).unwrap();
    listener.set_nonblocking(true).unwrap();
    (listener, socket)
}

/// Sends a request with an `x-forwarded-for` header on a new connection. Returns the status of the response.
async fn status(socket: &SocketAddr, path: &str, forwarded_for: &str) -> u16 {
    let stream = net::UnixStream::connect_addr(socket).unwrap();
    stream.set_nonblocking(true).unwrap();
    let mut stream = UnixStream::from_std(stream).unwrap();
    let headers = format!("host: localhost\r\nx-forwarded-for: {forwarded_for}\r\nconnection: close");
    stream.write_all(format!("GET {path} HTTP/1.1\r\n{headers}\r\n\r\n").as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    response.split(' ').nth(1).unwrap().parse().unwrap()
}

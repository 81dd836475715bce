//! Unix sockets, which have no address.

use super::context;
use poem::listener::UnixAcceptor;
use poem::web::RemoteAddr;
use poem::{EndpointExt, Route, Server, get, handler};
use ratelimit::{RateLimitLayer, RateLimiter, Rejection, rate_limit};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{self, SocketAddr, UnixListener};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

#[handler]
#[rate_limit(key = "peer", count = 1, by = "ip")]
async fn peer(_: &RemoteAddr) -> Result<(), Rejection> {
    Ok(())
}

/// Serves on a unix socket. Its name is in no file system.
fn serve(name: &str, limiter: RateLimiter) -> SocketAddr {
    let socket = SocketAddr::from_abstract_name(format!("poem {name} {}", std::process::id())).unwrap();
    let listener = UnixListener::bind_addr(&socket).unwrap();
    listener.set_nonblocking(true).unwrap();
    let app = Route::new().at("/peer", get(peer)).at("/context", get(context));
    let server = Server::new_with_acceptor(UnixAcceptor::from_std(listener).unwrap());
    tokio::spawn(server.run(app.with(RateLimitLayer::new().limiter(limiter))));
    socket
}

/// The status of the response to a request from this address.
async fn status(socket: &SocketAddr, path: &str, forwarded_for: &str) -> u16 {
    let stream = net::UnixStream::connect_addr(socket).unwrap();
    stream.set_nonblocking(true).unwrap();
    let mut stream = UnixStream::from_std(stream).unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: {forwarded_for}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    response.split(' ').nth(1).unwrap().parse().unwrap()
}

/// Whoever writes a header could otherwise choose the address.
#[tokio::test]
async fn a_unix_socket_identifies_nobody() {
    let socket = serve("unknown", RateLimiter::in_memory());
    for path in ["/peer", "/context"] {
        assert_eq!(status(&socket, path, "203.0.113.7").await, 503, "{path}");
    }
}

#[tokio::test]
async fn a_unix_socket_can_be_a_trusted_proxy() {
    let limiter = RateLimiter::builder().trusted_proxies(["unix"]).connect().await.unwrap();
    let socket = serve("trusted", limiter);
    for (forwarded_for, expected) in
        [("203.0.113.7", 200), ("6.6.6.6, 203.0.113.7", 429), ("203.0.113.8", 200)]
    {
        assert_eq!(status(&socket, "/context", forwarded_for).await, expected, "{forwarded_for}");
    }
}

//! Unix sockets, which have no address.

use super::context;
use super::raw::Connection;
use actix_web::dev::Extensions;
use actix_web::{App, HttpRequest, HttpServer, get};
use ratelimit::identity::PeerAddr;
use ratelimit::{RateLimitLayer, RateLimiter, Rejection, rate_limit};
use std::any::Any;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{self, SocketAddr, UnixListener};
use tokio::net::UnixStream;

#[get("/address")]
#[rate_limit(key = "unix", count = 1, by = "ip")]
async fn address(_: HttpRequest) -> Result<&'static str, Rejection> {
    Ok("")
}

const FORWARDED: &str = "x-forwarded-for: 203.0.113.7\r\n";

/// Says that the peer of a connection is a unix socket. actix-web itself tells nothing about it.
fn mark(connection: &dyn Any, data: &mut Extensions) {
    if connection.is::<UnixStream>() {
        data.insert(PeerAddr::Unix);
    }
}

/// Serves on a unix socket, and connects to it. Its name is in no file system.
fn connect(
    name: &str,
    limiter: RateLimiter,
    on_connect: fn(&dyn Any, &mut Extensions),
) -> Connection<UnixStream> {
    let name = format!("actix {name} {}", std::process::id());
    let socket = SocketAddr::from_abstract_name(name).unwrap();
    let listener = UnixListener::bind_addr(&socket).unwrap();
    let layer = RateLimitLayer::new().limiter(limiter);
    let app = move || App::new().service(address).service(context).wrap(layer.clone());
    let server = HttpServer::new(app).on_connect(on_connect).workers(1).disable_signals();
    tokio::spawn(server.listen_uds(listener).unwrap().run());
    let stream = net::UnixStream::connect_addr(&socket).unwrap();
    stream.set_nonblocking(true).unwrap();
    Connection(UnixStream::from_std(stream).unwrap())
}

/// The server must say that the peer is a unix socket, else a client whose address is not known would be trusted.
#[tokio::test]
async fn a_trusted_unix_socket_says_who_the_client_is() {
    let limiter = RateLimiter::builder().trusted_proxies(["unix"]).connect().await.unwrap();
    let mut marked = connect("trusted", limiter.clone(), mark);
    for path in ["/address", "/context"] {
        assert_eq!(marked.get(path, FORWARDED).await.status, 200, "{path}");
        assert_eq!(marked.get(path, FORWARDED).await.status, 429, "{path}");
        assert_eq!(marked.get(path, "x-forwarded-for: 203.0.113.8\r\n").await.status, 200, "{path}");
    }
    let mut unknown = connect("trusted, not marked", limiter, |_, _| {});
    assert_eq!(unknown.get("/address", FORWARDED).await.status, 503);
}

/// Whoever writes a header could otherwise choose the address.
#[tokio::test]
async fn a_unix_socket_identifies_nobody() {
    for (name, on_connect) in [("unknown", (|_, _| {}) as fn(&dyn Any, &mut Extensions)), ("marked", mark)] {
        let mut connection = connect(name, RateLimiter::in_memory(), on_connect);
        for path in ["/address", "/context"] {
            for headers in ["", FORWARDED] {
                assert_eq!(connection.get(path, headers).await.status, 503, "{name} {path} {headers}");
            }
        }
    }
}

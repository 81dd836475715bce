//! Tests the arguments of salvo handlers that identify the caller.

use super::server;
use crate::harness::client::{Client, Version};
use http::HeaderValue;
use ratelimit::identity::PeerAddr;
use ratelimit::{RateLimitLayer, RateLimiter, Rejection, rate_limit};
use salvo::conn::SocketAddr as Peer;
use salvo::extract::{HeaderParam, PathParam};
use salvo::prelude::*;
use std::net::{IpAddr, SocketAddr};

#[rate_limit(key = "peer", time = "1m", count = 1, by = "ip")]
async fn by_request(_: &Request) -> Result<(), Rejection> {
    Ok(())
}

#[rate_limit(key = "peer", time = "1m", count = 1, by = "ip")]
async fn by_socket(_: &Peer) -> Result<(), Rejection> {
    Ok(())
}

/// The function has the peer and the request. Only the request has the headers.
#[rate_limit(key = "peer", time = "1m", count = 1, by = "ip")]
async fn by_both(_: Peer, _: &mut Request) -> Result<(), Rejection> {
    Ok(())
}

fn request(peer: impl Into<Peer>, forwarded_for: &'static str) -> Request {
    let mut request = Request::new();
    *request.remote_addr_mut() = peer.into();
    request.headers_mut().insert("x-forwarded-for", HeaderValue::from_static(forwarded_for));
    request
}

fn socket(address: &str) -> SocketAddr {
    SocketAddr::new(address.parse().unwrap(), 4711)
}

fn status(result: Result<(), Rejection>) -> u16 {
    result.err().map_or(200, |rejection| rejection.status())
}

#[tokio::test]
async fn a_trusted_proxy_needs_a_request_beside_the_socket() {
    ratelimit::scope(RateLimiter::in_memory(), async {
        assert_eq!(status(by_request(&request(socket("2001:db8::1"), "198.51.100.1")).await), 200);
        assert_eq!(status(by_socket(&socket("2001:db8::2").into()).await), 429, "the same /64");
    })
    .await;
    let proxied = RateLimiter::builder().trusted_proxies(["203.0.113.0/24"]).connect().await.unwrap();
    ratelimit::scope(proxied, async {
        let proxy = || Peer::from(socket("203.0.113.1"));
        assert_eq!(status(by_request(&request(proxy(), "198.51.100.2")).await), 200);
        assert_eq!(status(by_both(proxy(), &mut request(proxy(), "198.51.100.2")).await), 429);
        assert_eq!(status(by_socket(&proxy()).await), 503, "nobody knows the headers");
    })
    .await;
}

#[tokio::test]
async fn a_request_without_a_connection_has_no_peer() {
    ratelimit::scope(RateLimiter::in_memory(), async {
        assert_eq!(status(by_request(&Request::new()).await), 503);
        let mut given = request(socket("203.0.113.1"), "198.51.100.1");
        given.extensions_mut().insert(PeerAddr::from(IpAddr::from([203, 0, 113, 2])));
        assert_eq!(status(by_request(&given).await), 200);
        assert_eq!(
            status(by_socket(&socket("203.0.113.2").into()).await),
            429,
            "what was put there is the peer"
        );
        assert_eq!(status(by_socket(&socket("203.0.113.1").into()).await), 200);
    })
    .await;
}

/// A unix socket has no IP address. If its headers were trusted by default, anybody could choose an address.
#[cfg(unix)]
#[tokio::test]
async fn a_unix_socket_identifies_nobody_unless_it_is_trusted() {
    let unix = || Peer::from(tokio::net::UnixStream::pair().unwrap().0.peer_addr().unwrap());
    let call = async || status(by_request(&request(unix(), "198.51.100.1")).await);
    ratelimit::scope(RateLimiter::in_memory(), async { assert_eq!(call().await, 503) }).await;
    let trusting = RateLimiter::builder().trusted_proxies(["unix"]).connect().await.unwrap();
    ratelimit::scope(trusting, async { assert_eq!((call().await, call().await), (200, 429)) }).await;
}

struct User {
    id: u64,
}

/// Stands in for a middleware with authentication. It verifies nothing.
#[handler]
async fn authenticate(req: &mut Request, depot: &mut Depot) {
    if let Some(id) = req.header("x-user") {
        depot.insert_typed(User { id });
    }
}

#[handler]
#[rate_limit(key = "typed", time = "1m", count = 1, by = depot.get_typed::<User>().ok().map(|user| user.id))]
async fn typed(depot: &mut Depot, res: &mut Response) {
    let id = depot.get_typed::<User>().unwrap().id;
    res.render(id.to_string());
}

/// The extractors use the names of the arguments to find their values.
#[handler]
#[rate_limit(key = "extracted", time = "1m", count = 1, by = (*id, &*x_tenant))]
async fn extracted_below(id: PathParam<u64>, x_tenant: HeaderParam<String>) -> Result<String, Rejection> {
    Ok(format!("{id} {x_tenant}"))
}

#[rate_limit(key = "extracted", time = "1m", count = 1, by = *id)]
#[handler]
async fn extracted_above(_req: &mut Request, id: PathParam<u64>, res: &mut Response) {
    res.render(id.to_string());
}

#[tokio::test]
async fn users_and_values_are_found() {
    let routes = Router::new()
        .hoop(RateLimitLayer::new().limiter(RateLimiter::in_memory()))
        .hoop(authenticate)
        .push(Router::with_path("typed").get(typed))
        .push(Router::with_path("below/{id}").get(extracted_below))
        .push(Router::with_path("above/{id}").get(extracted_above));
    let client = Client::new(server::start(routes).await, Version::Http1);
    for (path, header, first, second) in [("/typed", "x-user", "1", "2"), ("/below/7", "x_tenant", "a", "b")]
    {
        for (value, expected) in [(first, 200), (first, 429), (second, 200)] {
            let reply = client.get_with(path, &[(header, value)]).await;
            assert_eq!(reply.status, expected, "{path} {value}: {reply:?}");
            assert!(expected == 429 || reply.body.ends_with(value), "{reply:?}");
        }
        assert_eq!(client.get(path).await.status, 400, "{path}");
    }
    for (path, expected) in [("/above/1", 200), ("/above/1", 429), ("/above/2", 200)] {
        assert_eq!(client.get(path).await.status, expected, "{path}");
    }
}

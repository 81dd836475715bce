//! Servers of poem, and requests for endpoints that no server runs.

use poem::http::request::Parts;
use poem::http::uri::Scheme;
use poem::listener::TcpAcceptor;
use poem::web::{LocalAddr, RemoteAddr};
use poem::{Addr, Body, Endpoint, Request, Response, Server};
use std::net::{Ipv4Addr, SocketAddr};
use tokio::net::TcpListener;

/// Serves an endpoint over HTTP/1.1 and HTTP/2 until the test ends.
pub(crate) async fn start(endpoint: impl Endpoint + 'static) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = Server::new_with_acceptor(TcpAcceptor::from_tokio(listener).unwrap());
    tokio::spawn(server.run(endpoint));
    address
}

/// Returns a GET request from the address 203.0.113.`last`.
pub(super) fn from(last: u8, path: &'static str) -> Request {
    let mut parts = poem::http::Request::new(()).into_parts().0;
    parts.uri = path.parse().unwrap();
    over(SocketAddr::from(([203, 0, 113, last], 4711)).into(), parts)
}

/// Returns a request on a connection with the given peer.
pub(super) fn over(peer: Addr, parts: Parts) -> Request {
    let parts = (parts, LocalAddr::default(), RemoteAddr(peer), Scheme::HTTP);
    Request::from_parts(parts.into(), Body::empty())
}

/// Sends two requests of the same client without a server. Asserts that the first one is not refused, and returns the
/// response to the second one.
pub(super) async fn second(endpoint: &impl Endpoint, path: &'static str) -> Response {
    let first = endpoint.get_response(from(1, path)).await;
    assert_ne!(first.status(), 429, "{path}");
    endpoint.get_response(from(1, path)).await
}

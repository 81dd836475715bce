//! Servers of poem, and requests for endpoints that no server runs.

use poem::listener::TcpAcceptor;
use poem::{Endpoint, Request, Response, Server};
use ratelimit::PeerAddr;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use tokio::net::TcpListener;

/// Serves an endpoint over HTTP/1.1 and HTTP/2 until the test ends.
pub(crate) async fn start(endpoint: impl Endpoint + 'static) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = Server::new_with_acceptor(TcpAcceptor::from_tokio(listener).unwrap());
    tokio::spawn(server.run(endpoint));
    address
}

/// A GET request of the client with this last byte of the address.
pub(super) fn from(last: u8, path: &'static str) -> Request {
    let mut request = Request::builder().uri(path.parse().unwrap()).finish();
    request.set_data(PeerAddr::from(IpAddr::from([203, 0, 113, last])));
    request
}

/// The response to a second request of the same client, without a server. The first one is not refused.
pub(super) async fn second(endpoint: &impl Endpoint, path: &'static str) -> Response {
    let first = endpoint.get_response(from(1, path)).await;
    assert_ne!(first.status(), 429, "{path}");
    endpoint.get_response(from(1, path)).await
}

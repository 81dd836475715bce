//! Tests `by = "ip"` on functions with several arguments that know an address, and on requests whose peer is in their
//! extensions or in the request context.

use crate::harness::{keys_of, limited, unavailable};
use axum::Extension;
use axum::body::Body;
use axum::extract::connect_info::MockConnectInfo;
use axum::extract::{ConnectInfo, Request};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use ratelimit::__private::RequestPeer;
use ratelimit::context::RequestContext;
use ratelimit::identity::PeerAddr;
use ratelimit::{ClientIp, ErrorKind, rate_limit};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use tracing::instrument;

const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(203, 0, 113, 7));
const PROXY: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)), 4000);

/// The client's address that the application has found out.
#[derive(Clone)]
struct RealIp(IpAddr);

impl ClientIp for RealIp {
    fn client_ip(&self) -> Option<IpAddr> {
        Some(self.0)
    }
}

/// A connection without headers.
struct Connection(Option<PeerAddr>);

impl RequestPeer for Connection {
    fn peer(&self) -> Option<PeerAddr> {
        self.0
    }
}

limited! {
    #[rate_limit(key = "k", by = "ip")]
    resolved_beside_the_request(parts: Parts, Extension(_real): Extension<RealIp>, peer: ConnectInfo<SocketAddr>);
    #[instrument(skip_all)]
    #[rate_limit(key = "k", by = "ip")]
    resolved_in_a_kept_pattern(Extension(_real): Extension<RealIp>, (_, _from): (u8, SocketAddr));
    #[rate_limit(key = "k", by = "ip")] resolved_connection(ConnectInfo(_real): ConnectInfo<RealIp>);
    #[rate_limit(key = "k", by = "ip")] request(peer: Option<ConnectInfo<SocketAddr>>, request: Request);
    #[rate_limit(key = "k", by = "ip")]
    peer_beside_plain_addresses(to: SocketAddr, from: IpAddr, headers: HeaderMap, ConnectInfo(_peer): ConnectInfo<SocketAddr>);
    #[rate_limit(key = "a", by = ("ip", n), cost = { request.headers_mut().clear(); n })]
    #[rate_limit(key = "b", by = "ip", skip_if = { request.headers_mut().clear(); n > 5 })]
    borrows_end_early(n: u32, request: &mut Request);
    #[rate_limit(key = "k", by = "ip")] connection(connection: &Connection);
}

/// Builds a request that the client has sent through the proxy.
fn through_the_proxy() -> Request {
    let mut request = Request::new(Body::empty());
    request.extensions_mut().insert(ConnectInfo(PROXY));
    request
}

#[tokio::test]
async fn an_address_that_the_application_has_resolved_takes_precedence() {
    let keys = keys_of(async {
        let parts = through_the_proxy().into_parts().0;
        let real = || RealIp(CLIENT);
        resolved_beside_the_request(parts, Extension(real()), ConnectInfo(PROXY)).await.unwrap();
        resolved_in_a_kept_pattern(Extension(real()), (0, PROXY)).await.unwrap();
        resolved_connection(ConnectInfo(real())).await.unwrap();
    })
    .await;
    assert_eq!(keys, ["{203.0.113.7}:k"; 3]);
}

#[tokio::test]
async fn the_peer_of_a_request_is_in_its_extensions() {
    let keys = keys_of(async {
        let mut proxied = through_the_proxy();
        proxied.extensions_mut().insert(PeerAddr::from(CLIENT));
        request(None, proxied).await.unwrap();
        let mut mocked = Request::new(Body::empty());
        mocked.extensions_mut().insert(MockConnectInfo(SocketAddr::new(CLIENT, 5)));
        request(None, mocked).await.unwrap();
        // The request has no peer in its extensions, but another argument has one.
        request(Some(ConnectInfo(SocketAddr::new(CLIENT, 6))), Request::new(Body::empty())).await.unwrap();
    })
    .await;
    assert_eq!(keys, ["{203.0.113.7}:k"; 3]);
}

#[tokio::test]
async fn a_connection_takes_precedence_over_plain_addresses() {
    let keys = keys_of(async {
        let peer = ConnectInfo(SocketAddr::new(CLIENT, 7));
        peer_beside_plain_addresses(PROXY, PROXY.ip(), HeaderMap::new(), peer).await.unwrap();
    })
    .await;
    assert_eq!(keys, ["{203.0.113.7}:k"]);
}

#[tokio::test]
async fn each_limit_borrows_the_request_only_for_its_key() {
    let keys = keys_of(async { borrows_end_early(1, &mut through_the_proxy()).await.unwrap() }).await;
    assert_eq!(keys, ["{10.0.0.1,1}:a", "{10.0.0.1}:b"]);
}

#[tokio::test]
async fn the_request_context_knows_the_client_behind_the_same_or_an_unknown_peer() {
    let keys = keys_of(async {
        let context = |peer| RequestContext::new().with_peer(peer).with_client_ip(CLIENT);
        let unix = Connection(Some(PeerAddr::Unix));
        context(PeerAddr::Unix).scope(connection(&unix)).await.unwrap();
        context(PROXY.into()).scope(connection(&Connection(None))).await.unwrap();
        for refused in [
            connection(&unix).await,
            connection(&Connection(None)).await,
            context(PROXY.into()).scope(connection(&unix)).await,
        ] {
            assert_eq!(unavailable(refused).kind(), ErrorKind::Configuration);
        }
    })
    .await;
    assert_eq!(keys, ["{203.0.113.7}:k"; 2]);
}

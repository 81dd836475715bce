//! Tests the client's address that the attribute finds in the arguments of poem handlers.

use super::arguments::{scoped, status};
use super::server;
use poem::http::HeaderMap;
use poem::web::RemoteAddr;
use poem::{Addr, EndpointExt, Request, handler};
use ratelimit::identity::PeerAddr;
use ratelimit::{RateLimiter, rate_limit};
use std::net::{IpAddr, SocketAddr};
use support::limited;

limited! {
    #[handler] #[rate_limit(key = "peer", count = 1, by = "ip")] by_peer(_: &RemoteAddr);
    #[handler]
    #[rate_limit(key = "peer", count = 1, by = "ip")]
    by_peer_and_headers(_: &HeaderMap, RemoteAddr(_): &RemoteAddr);
    #[handler] #[rate_limit(key = "peer", count = 1, by = "ip")] by_request(_: &Request);
}

/// Returns a request on a connection with the given peer.
fn over(peer: Addr, forwarded_for: Option<&'static str>) -> Request {
    let mut parts = poem::http::Request::new(()).into_parts().0;
    if let Some(address) = forwarded_for {
        parts.headers.insert("x-forwarded-for", address.parse().unwrap());
    }
    server::over(peer, parts)
}

fn socket(last: u8) -> Addr {
    SocketAddr::from(([192, 0, 2, last], 4711)).into()
}

#[tokio::test]
async fn a_custom_address_identifies_nobody() {
    for endpoint in [by_peer.boxed(), by_peer_and_headers.boxed(), by_request.boxed()] {
        let custom = Addr::custom("quic", "203.0.113.7:4711");
        assert_eq!(scoped(status(&endpoint, over(custom, Some("203.0.113.7")))).await, 503);
        assert_eq!(scoped(status(&endpoint, Request::default())).await, 503);
    }
}

/// A handler with only the peer needs the layer, which reads the headers.
#[tokio::test]
async fn clients_behind_a_trusted_proxy_are_told_apart_by_the_headers_among_the_arguments() {
    for (endpoint, expected) in [
        (by_peer.boxed(), [503; 3]),
        (by_peer_and_headers.boxed(), [200, 429, 200]),
        (by_request.boxed(), [200, 429, 200]),
    ] {
        let limiter = RateLimiter::builder().trusted_proxies(["192.0.2.1"]).connect().await.unwrap();
        let claims = ["203.0.113.7", "6.6.6.6, 203.0.113.7", "203.0.113.8"];
        for (claim, expected) in claims.into_iter().zip(expected) {
            let call = status(&endpoint, over(socket(1), Some(claim)));
            assert_eq!(ratelimit::scope(limiter.clone(), call).await, expected, "{claim}");
        }
    }
}

/// An application behind a listener with the PROXY protocol sets the peer in a middleware. This peer takes precedence over
/// the address of the connection.
#[tokio::test]
async fn a_peer_that_a_middleware_has_set_comes_first() {
    let with_peer = |peer: PeerAddr| {
        let mut request = over(socket(1), None);
        request.set_data(peer);
        request
    };
    scoped(async {
        assert_eq!(status(&by_request, over(socket(1), None)).await, 200);
        assert_eq!(status(&by_request, with_peer(IpAddr::from([198, 51, 100, 1]).into())).await, 200);
        assert_eq!(status(&by_request, with_peer(IpAddr::from([198, 51, 100, 1]).into())).await, 429);
        assert_eq!(status(&by_request, with_peer(PeerAddr::Unix)).await, 503);
    })
    .await;
}

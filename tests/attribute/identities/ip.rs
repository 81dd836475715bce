//! `by = "ip"`: the attribute finds the argument with the client's address by its type.

use crate::harness::{keys_of, limited, unavailable};
use axum::body::Body;
use axum::extract::{ConnectInfo, Json, Request};
use axum::http::request::Parts;
use ratelimit::{ClientIp, ErrorKind, Rejection, rate_limit};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

const CLIENT: IpAddr = IpAddr::V4(Ipv4Addr::new(203, 0, 113, 7));
const OTHER: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 51, 100, 1));
const PEER: SocketAddr = SocketAddr::new(CLIENT, 1234);

struct MyRequest(IpAddr);

impl ClientIp for MyRequest {
    fn client_ip(&self) -> Option<IpAddr> {
        Some(self.0)
    }
}

/// Implements `ClientIp` with an address that differs from the wrapped address.
struct Masked(IpAddr);

impl ClientIp for Masked {
    fn client_ip(&self) -> Option<IpAddr> {
        Some(CLIENT)
    }
}

#[rate_limit(key = "k", by = "ip")]
async fn connect_info(
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Json(body): Json<String>,
) -> Result<(SocketAddr, String), Rejection> {
    Ok((peer, body))
}

/// A comment that mentions the peer does not change how the address is found.
#[rate_limit(key = "k", by = "ip")]
async fn documented(Masked(peer): Masked) -> Result<IpAddr, Rejection> {
    Ok(peer)
}

limited! {
    #[rate_limit(key = "k", by = "ip")] socket_address(id: u64, peer: SocketAddr);
    #[rate_limit(key = "k", by = "ip")] own_type(request: Arc<MyRequest>);
    #[rate_limit(key = "k", by = "ip")] request(request: Request);
    #[rate_limit(key = "k", by = "ip")] opaque(request: impl ClientIp);
    #[rate_limit(key = "k", by = "ip")] unused(_: u64, _peer: &SocketAddr);
    #[rate_limit(key = "k", by = "ip")] optional(peer: Option<ConnectInfo<SocketAddr>>);
    #[rate_limit(key = "k", by = "ip")] own_type_beside_a_bare_address(from: IpAddr, request: MyRequest);
    #[rate_limit(key = "k", by = (name, "ip", "ip"))] in_a_tuple(peer: SocketAddr, name: &str);
}

#[rate_limit(key = "k", by = "ip")]
async fn parts(parts: &mut Parts) -> Result<(), Rejection> {
    parts.headers.clear();
    Ok(())
}

#[rate_limit(key = "k", by = "ip")]
async fn generic<R>(request: &R) -> Result<(), Rejection>
where
    R: ClientIp + ?Sized,
{
    Ok(())
}

fn from_client() -> Request {
    let mut request = Request::new(Body::empty());
    request.extensions_mut().insert(ConnectInfo(PEER));
    request
}

#[tokio::test]
async fn types_of_frameworks() {
    let keys = keys_of(async {
        let (peer, body) = connect_info(ConnectInfo(PEER), Json("body".to_owned())).await.unwrap();
        assert_eq!((peer, body.as_str()), (PEER, "body"));
        request(from_client()).await.unwrap();
        parts(&mut from_client().into_parts().0).await.unwrap();
        optional(Some(ConnectInfo(PEER))).await.unwrap();
    })
    .await;
    assert_eq!(keys, ["{203.0.113.7}:k"; 4]);
}

#[tokio::test]
async fn bare_addresses() {
    let keys = keys_of(async {
        socket_address(1, PEER).await.unwrap();
        unused(1, &PEER).await.unwrap();
    })
    .await;
    assert_eq!(keys, ["{203.0.113.7}:k"; 2]);
}

#[tokio::test]
async fn types_of_the_application() {
    let keys = keys_of(async {
        own_type(Arc::new(MyRequest(CLIENT))).await.unwrap();
        documented(Masked(OTHER)).await.unwrap();
        generic(&MyRequest(CLIENT)).await.unwrap();
        generic::<dyn ClientIp>(&MyRequest(CLIENT)).await.unwrap();
        opaque(MyRequest(CLIENT)).await.unwrap();
        own_type_beside_a_bare_address(OTHER, MyRequest(CLIENT)).await.unwrap();
    })
    .await;
    assert_eq!(keys, ["{203.0.113.7}:k"; 6]);
}

#[tokio::test]
async fn an_address_beside_other_values() {
    let keys = keys_of(async { in_a_tuple(PEER, "ann").await.unwrap() }).await;
    assert_eq!(keys, ["{ann,203.0.113.7,203.0.113.7}:k"]);
}

#[tokio::test]
async fn an_absent_address_is_refused() {
    let keys = keys_of(async {
        assert_eq!(unavailable(optional(None).await).kind(), ErrorKind::Configuration);
        let without = Request::new(Body::empty());
        assert_eq!(unavailable(request(without).await).kind(), ErrorKind::Configuration);
    })
    .await;
    assert!(keys.is_empty());
}
